"use strict";
// What is drawn: trees of plain objects out of what is known, brought into the document with as few changes as can be,
// so that focus, selection and scroll stay where they are.

const ROWS = 100;
/** What is opened, and how much of long lists is shown. */
const opened = { calls: new Set(), ports: new Set(), rows: {}, tab: "journal" };

// --- drawing ------------------------------------------------------------------------------------------------------

function h(tag, attributes, ...children) {
  const { key, ...rest } = attributes ?? {};
  return { tag, key, attributes: rest, children: children.flat(9).filter((child) => child != null && child !== false) };
}

/** Characters that turn the text around them, or are not seen, are spelled out. */
function inert(text) {
  const spelled = (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return String(text).replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, spelled);
}

const short = (text, most = 100) => (String(text).length > most ? `${String(text).slice(0, most)}…` : String(text));

function draw(parent, wanted) {
  const list = [wanted].flat(9).filter((each) => each != null && each !== false);
  const nodes = matched(parent, list);
  const kept = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!kept.has(node)) node.remove();
  let place = parent.firstChild;
  nodes.forEach((node, index) => {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
    fill(node, list[index]);
  });
}

/** For each wanted one the node that was it before, or a new one. */
function matched(parent, list) {
  const named = new Map();
  const loose = [];
  for (const node of parent.childNodes) node.drawnAs === undefined ? loose.push(node) : named.set(node.drawnAs, node);
  return list.map((want) => {
    const name = want.tag ?? "#text";
    const old = want.key === undefined ? loose.shift() : named.get(want.key);
    if (old?.nodeName.toLowerCase() === name) return old;
    const node = want.tag ? document.createElement(want.tag) : document.createTextNode("");
    if (want.key !== undefined) node.drawnAs = want.key;
    return node;
  });
}

function fill(node, want) {
  if (want.tag === undefined) {
    const text = inert(want);
    if (node.data !== text) node.data = text;
    return;
  }
  for (const { name } of [...node.attributes]) if (want.attributes[name] == null) node.removeAttribute(name);
  for (const [name, value] of Object.entries(want.attributes)) {
    if (value == null || value === false) node.removeAttribute(name);
    else if (node.getAttribute(name) !== inert(value)) node.setAttribute(name, inert(value));
  }
  draw(node, want.children);
}

const byId = (id) => document.getElementById(id);
const button = (text, act, attributes) => h("button", { type: "button", "data-do": act, ...attributes }, text);
const mark = (kind, text) => h("span", { class: `mark ${kind}` }, text);

function more(name, all) {
  const shown = opened.rows[name] ?? ROWS;
  if (all <= shown) return null;
  return button(`Show more (${all - shown} are left)`, "more-rows", { key: "more", "data-name": name });
}

// --- words --------------------------------------------------------------------------------------------------------

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

function span(ms) {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const [name, size] = UNITS.find(([, size]) => seconds >= 0.95 * size) ?? UNITS[3];
  return `${Math.round(seconds / size)} ${name}`;
}

function when(moment) {
  const ms = Date.parse(moment) - nowMs();
  const text = Math.abs(ms) < 1000 ? "now" : ms > 0 ? `in ${span(ms)}` : `${span(ms)} ago`;
  return h("time", { datetime: moment, title: moment }, text);
}

const clockText = (ms) => new Date(ms).toISOString().slice(0, 19).replace("T", " ");
const portText = ({ port, protocol }) => `${port}/${protocol}`;
const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

function stateOf(state) {
  if (state === "terminated") return ["gone", "terminated"];
  if (state.deleted) return ["gone", "deleted"];
  if (state.paused === "hand") return ["paused", "paused by hand"];
  if (state.paused) return ["paused", "paused: over capacity"];
  return state.active === "scanning" ? ["busy", "scanning"] : ["good", "active"];
}

const customerName = ({ client_id: id, name }) => (name === null ? `Customer ${id}` : short(name));
const serverName = ({ value }) => short(value.nickname ?? value.hostname ?? value.address);

/** A record in words, as far as it is known whose it is. */
function recordName({ kind, key, now, was }) {
  const value = now ?? was ?? {};
  const of = (endpoint) => (record("endpoints", endpoint) ? serverName(record("endpoints", endpoint)) : `no. ${endpoint}`);
  const names = {
    settings: () => "Settings",
    controls: () => "Account",
    customers: () => `Customer ${value.client_id}`,
    endpoints: () => `Server ${value.nickname ? `${short(value.nickname)} ` : ""}${value.address}`,
    endpoint_worlds: () => `Next scan of ${of(key)}`,
    port_alerts: () => `Port alert ${value.port ? portText(value.port) : key} of ${of(value.endpoint)}`,
    rules: () => `Rule ${value.ports ? rulePorts(value) : key}`,
    subscriptions: () => `Subscription ${key}`,
    domains: () => `Domain ${short(value.name ?? key)}`,
    domain_alerts: () => `Domain alert of ${short(value.name ?? key)}`,
    tenant: () => "The account",
  };
  return names[kind]?.() ?? `${kind.replaceAll("_", " ")} ${short(key)}`;
}

function fieldText(name, value) {
  if (value === null || value === undefined) return "none";
  if (name === "state" && typeof value !== "string") return value.active || value.paused || value.deleted ? stateOf(value)[1] : short(JSON.stringify(value));
  if (name === "found" && value.ports) return value.ports.map(portText).join(", ") || "nothing open";
  if (name === "last_scan") return `${value.outcome} ${value.at.slice(0, 19)}`;
  if (name === "resolution") return "resolved";
  return short(typeof value === "string" ? value.replace(/\.\d+\+00:00$/, "") : JSON.stringify(value));
}

function changeText(change) {
  const { was, now } = change;
  if (change.kind === "tenant") return now === null ? "was removed" : "was read anew";
  if (now === null) return "removed";
  if (was === undefined) return "changed";
  if (was === null) return change.kind === "endpoints" || change.kind === "domains" ? `new, ${stateOf(now.state)[1]}` : "new";
  if (Array.isArray(now) || typeof now !== "object") return fieldText("", now);
  const same = (name) => JSON.stringify(was[name]) === JSON.stringify(now[name]);
  const differing = Object.keys(now).filter((name) => name !== "updated_at" && name !== "history" && !same(name));
  const texts = differing.map((name) => [name, fieldText(name, was[name]), fieldText(name, now[name])]);
  return texts.filter(([, before, after]) => before !== after).map(([name, before, after]) => `${name.replaceAll("_", " ")}: ${before} → ${after}`).join("; ") || "touched";
}

// --- accounts and customers ---------------------------------------------------------------------------------------

function drawAccounts() {
  const items = known.tenants.map((tenant) => {
    const mine = tenant.name === chosen.tenant;
    const marks = [tenant.suspended && mark("bad", "suspended"), !tenant.sandbox && mark("plain", "no sandbox")];
    const choice = choose(tenant.name, null, [h("span", { class: "name" }, short(tenant.name)), marks]);
    return h("li", { key: tenant.name }, choice, mine && known.account && customerList());
  });
  draw(byId("accounts"), [h("h2", null, "Accounts"), h("ul", { class: "choices" }, items)]);
}

function choose(tenant, client, content) {
  const current = tenant === chosen.tenant && client === chosen.client;
  const attributes = { "data-tenant": tenant, "data-client": client, "aria-current": current ? "true" : null };
  return button(content, "choose", { ...attributes, tabindex: current ? "0" : "-1" });
}

function customerList() {
  const all = customers();
  const shown = all.slice(0, opened.rows.customers ?? ROWS);
  const items = shown.map((customer) => {
    const { used, live } = capacity(customer, "port_monitoring");
    const alerts = live.reduce((sum, { key }) => sum + openPortAlerts(key).length, 0);
    const about = [h("span", { class: "name" }, customerName(customer)), h("span", { class: "dim" }, `${customer.client_id} · ${count(used, "server")}`)];
    const alarm = alerts > 0 && h("span", { class: "alarm" }, h("span", { "aria-hidden": "true" }, alerts), h("span", { class: "unseen" }, count(alerts, "open port alert")));
    return h("li", { key: customer.client_id }, choose(chosen.tenant, customer.client_id, [about, alarm]));
  });
  return h("ul", { class: "choices inner" }, items, more("customers", all.length));
}

// --- the account or the customer that is looked at ----------------------------------------------------------------

function drawShown() {
  if (!known.account) return draw(byId("shown"), h("p", { class: "dim" }, known.tenants.length ? "Loading." : "There is no account."));
  const customer = customers().find(({ client_id: id }) => id === chosen.client);
  draw(byId("shown"), customer ? customerView(customer) : accountView());
}

function accountView() {
  const { portal_domain: domain, limits, timings, rate_limit: limited } = settings();
  const { scenario, progress } = controls();
  const facts = [
    ["Portal domain", domain], ["Customers", customers().length],
    ["Servers", `${records("endpoints").filter((each) => !isGone(each)).length} of ${limits.account_endpoint_limit}`],
    ["Rate limit", limited], ["Scans", `${progress}, every ${span(timings.scan_interval * 1000)}, for ${timings.scan_duration} s`],
    ["Scans find", scenario],
  ];
  return [
    h("h2", { key: "name" }, short(known.account.name, 300)),
    h("dl", { key: "facts", class: "facts" }, facts.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value)))),
    h("section", { key: "scenario" }, h("h3", null, "Scenario"),
      h("p", { class: "dim" }, "What scans find is set by the partner API, with an account in sandbox mode. Copy the call:"),
      h("div", { class: "row" }, ["clean", "warnings", "critical"].map((name) => button(name, "copy-scenario", { "data-name": name, "aria-label": `Copy the call for ${name}` })))),
    h("section", { key: "rules" }, h("h3", null, "Rules of the whole account"),
      ruleList(records("rules").filter(({ value }) => value.scope === "account"), "account-rules")),
    h("section", { key: "reset" }, h("h3", null, "Reset"),
      h("p", { class: "dim" }, "Removes the records of this account, and puts its settings, clock and faults back to the start. Its keys stay."),
      button("Reset this account…", "reset", { class: "grave" })),
  ];
}

function customerView(customer) {
  const servers = ofCustomer("endpoints", customer.number);
  const domains = ofCustomer("domains", customer.number);
  return [
    h("h2", { key: "name" }, short(customerName(customer), 300)),
    h("p", { key: "who", class: "dim" }, [`Customer ${customer.client_id} of ${short(known.account.name)}`, customer.email].filter(Boolean).join(" · ")),
    h("div", { key: "capacity", class: "capacities" }, gauge("Servers", capacity(customer, "port_monitoring")), gauge("Domains", capacity(customer, "domain_monitoring"))),
    h("section", { key: "servers" }, h("h3", null, "Servers"), serverList(servers)),
    h("section", { key: "domains" }, h("h3", null, "Domains"), domainList(domains)),
    h("section", { key: "subscriptions" }, h("h3", null, "Subscriptions"), subscriptionList(customer.client_id)),
    h("section", { key: "rules" }, h("h3", null, "Rules"), ruleList(rulesOf(customer.number), "rules")),
  ];
}

function gauge(name, { limit, used, live }) {
  const by = { active: 0, hand: 0, platform: 0 };
  for (const { value } of live) by[value.state.active ? "active" : value.state.paused]++;
  const parts = [`${by.active} active`, by.hand && `${by.hand} paused by hand`, by.platform && `${by.platform} paused: over capacity`];
  const text = `${used} of ${limit}`;
  return h("div", { key: name, class: "capacity", "data-name": name },
    h("span", { class: "title" }, name), h("span", { class: "figure" }, text),
    h("meter", { "aria-label": `${name} used`, min: 0, max: Math.max(limit, used, 1), value: used, high: limit + 0.5, optimum: 0 }, text),
    h("span", { class: "dim" }, parts.filter(Boolean).join(", ")));
}

const none = (text) => h("p", { class: "dim none" }, text);

function list(name, all, none_, row) {
  if (all.length === 0) return none(none_);
  const shown = all.slice(0, opened.rows[name] ?? ROWS);
  return h("ul", { class: "rows" }, shown.map(row), more(name, all.length) && h("li", { key: "more" }, more(name, all.length)));
}

function serverList(all) {
  const order = [...all].sort((one, other) => isGone(one) - isGone(other));
  return list("servers", order, "No servers.", serverRow);
}

function serverRow(server) {
  const { key, id, value } = server;
  const [kind, text] = stateOf(value.state);
  const alerts = openPortAlerts(key);
  const alarming = new Set(alerts.map(({ value: { port } }) => portText(port)));
  const ports = value.found ? value.found.ports.map(portText) : null;
  const name = serverName(server);
  return h("li", { key: id, class: `record ${kind}`, "data-id": id },
    h("div", { class: "head" }, h("span", { class: "name" }, name), value.address !== name && h("span", { class: "dim address" }, value.address), mark(kind, text), value.simulated && mark("plain", "simulated")),
    h("div", { class: "ports" }, ports === null ? h("span", { class: "dim" }, "not scanned yet") : ports.length === 0 ? h("span", { class: "dim" }, "no open port") : ports.map((port) => portMark(port, alarming)),
      alerts.length > 0 && h("span", { class: "alert-text" }, count(alerts.length, "open alert"))),
    kind !== "gone" && h("div", { class: "foot" },
      h("span", { class: "dim" }, scanTimes(value)),
      h("span", { class: "row" },
        value.state.active && button("Scan now", "scan", { "data-id": id, "data-what": "endpoints", "aria-label": `Scan now: ${name}` }),
        button("Ports", "ports", { "data-id": id, "aria-expanded": String(opened.ports.has(id)), "aria-label": `Ports: ${name}` }))),
    opened.ports.has(id) && portForm(server));
}

const portMark = (port, alarming) => h("span", { key: port, class: alarming.has(port) ? "port alarming" : "port" }, port, alarming.has(port) && h("span", { class: "unseen" }, " with an alert"));

function scanTimes({ last_scan: last, next_scan_at: next, state }) {
  const before = last ? ["scan ", last.outcome, " ", when(last.at)] : ["never scanned"];
  return state.active === "waiting" ? [before, ", next ", when(next)] : before;
}

function portForm({ key, id, value }) {
  const world = record("endpoint_worlds", key)?.value ?? value.found?.ports ?? [];
  return h("form", { key: "ports", class: "port-form", "data-do": "set-ports", "data-id": id },
    h("label", null, "Open from now on ", h("input", { name: "open", value: world.map(portText).join(", "), autocomplete: "off", placeholder: "22, 443, 53/udp" })),
    h("span", { class: "row" }, h("button", { name: "scan", value: "" }, "Set"), value.state.active && h("button", { name: "scan", value: "now", class: "main" }, "Set and scan")));
}

function domainList(all) {
  return list("domains", all, "No domains.", ({ id, key, value }) => {
    const [kind, text] = stateOf(value.state);
    const [employees, clients, others, mentions] = value.found;
    const found = [[employees, "employee leak"], [clients, "customer leak"], [others, "third-party leak"], [mentions, "mention"]].filter(([number]) => number);
    const alerts = records("domain_alerts").filter((each) => each.value.domain === Number(key) && each.value.state === "open").length;
    return h("li", { key: id, class: `record ${kind}`, "data-id": id },
      h("div", { class: "head" }, h("span", { class: "name" }, short(value.name)), mark(kind, text)),
      h("div", { class: "ports" }, found.length ? found.map(([number, word]) => h("span", { key: word, class: "port" }, count(number, word))) : h("span", { class: "dim" }, value.last_scan ? "nothing found" : "not scanned yet"),
        alerts > 0 && h("span", { class: "alert-text" }, count(alerts, "open alert"))),
      kind !== "gone" && h("div", { class: "foot" }, h("span", { class: "dim" }, scanTimes(value)),
        value.state.active && h("span", { class: "row" }, button("Scan now", "scan", { "data-id": id, "data-what": "domains", "aria-label": `Scan now: ${short(value.name)}` }))));
  });
}

function subscriptionList(client) {
  const mine = subscriptions().filter((each) => each.client === client);
  const kinds = { active: "good", suspended: "paused", cancelled: "gone" };
  return list("subscriptions", mine, "No subscriptions.", ({ key, service, product, offer, status }) => {
    const holds = offer.plan !== undefined ? offer.plan : offer.units !== undefined ? `${offer.units} units` : "one server";
    return h("li", { key, class: `record line ${kinds[status]}` }, h("span", { class: "name" }, `Service ${service}`), h("span", null, `${product.replace("_", " ")}, ${short(holds)}`), mark(kinds[status], status));
  });
}

const rulePorts = ({ ports: [from, to], protocol }) => `${from === to ? from : `${from}–${to}`}/${protocol === "*" ? "any" : protocol}`;

function ruleList(all, name) {
  return list(name, all, "No rules.", ({ key, id, value }) => {
    const where = value.scope.endpoint !== undefined ? serverName(record("endpoints", value.scope.endpoint) ?? { value: { address: "a server that is gone" } }) : "all servers";
    const end = value.expires_at && Object.values(value.expires_at)[0];
    const over = end && Date.parse(end) < nowMs();
    return h("li", { key: id ?? key, class: "record line" }, h("span", { class: "port" }, rulePorts(value)), h("span", null, where),
      h("span", { class: "dim reason" }, short(value.justification, 200)), end && h("span", { class: over ? "mark bad" : "dim" }, over ? "ended " : "ends ", when(end)));
  });
}
