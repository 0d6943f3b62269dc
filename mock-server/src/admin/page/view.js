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
const styled = (tag, name) => (...children) => h(tag, { class: name }, ...children);
const [dim, strong, row, unseen] = ["dim", "name", "row", "unseen"].map((name) => styled("span", name));
const [head, foot, none] = [styled("div", "head"), styled("div", "foot"), styled("p", "dim")];

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
  const value = now ?? was;
  // It is gone, or of another account.
  if (!value) return `${kind.replaceAll("_", " ")} ${short(key)}`;
  const server = (endpoint) => record("endpoints", endpoint);
  const of = (endpoint) => (server(endpoint) ? serverName(server(endpoint)) : `no. ${endpoint}`);
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
  };
  return names[kind]?.() ?? `${kind.replaceAll("_", " ")} ${short(key)}`;
}

function fieldText(name, value) {
  if (value === null || value === undefined) return "none";
  if (name === "state" && typeof value === "object" && !value.acknowledged && !value.resolved) return stateOf(value)[1];
  if (name === "found" && value.ports) return value.ports.map(portText).join(", ") || "nothing open";
  if (name === "last_scan") return `${value.outcome} at ${clockText(Date.parse(value.at))}`;
  if (name === "resolution") return "resolved";
  return short(typeof value === "string" ? value.replace(/\.\d+\+00:00$/, "") : JSON.stringify(value));
}

/** What says no more than the rest of a record does. */
const UNTOLD = ["updated_at", "next_scan_at", "history", "mentions", "number"];

/** Nothing for the counters that an account makes its ids from. */
function changeText({ kind, was, now }) {
  if (now === null) return "removed";
  if (was === undefined) return "changed";
  if (was === null) return kind === "endpoints" || kind === "domains" ? `new, ${stateOf(now.state)[1]}` : "new";
  if (Array.isArray(now)) return now.map((part) => (part.port ? portText(part) : part)).join(", ") || "nothing";
  const isTold = (name) => !UNTOLD.includes(name) && (kind !== "controls" || typeof now[name] !== "number");
  const texts = Object.keys(now).filter(isTold).map((name) => {
    const [before, after] = [fieldText(name, was[name]), fieldText(name, now[name])];
    return before === after ? null : `${name.replaceAll("_", " ")}: ${before} → ${after}`;
  });
  return texts.filter(Boolean).join("; ") || (kind === "controls" ? "" : "touched");
}

// --- accounts and customers ---------------------------------------------------------------------------------------
function drawAccounts() {
  const items = known.tenants.map(({ name, suspended, sandbox }) => {
    const marks = [suspended && mark("bad", "suspended"), !sandbox && mark("plain", "no sandbox")];
    const choice = choose(name, null, [strong(short(name)), marks]);
    return h("li", { key: name }, choice, name === chosen.tenant && known.account && customerList());
  });
  draw(byId("accounts"), [h("h2", null, "Accounts"), h("ul", { class: "choices" }, items)]);
}

function choose(tenant, client, content) {
  const isCurrent = tenant === chosen.tenant && client === chosen.client;
  const current = { "aria-current": isCurrent ? "true" : null, tabindex: isCurrent ? "0" : "-1" };
  return button(content, "choose", { "data-tenant": tenant, "data-client": client, ...current });
}

function customerList() {
  const all = customers();
  const items = all.slice(0, opened.rows.customers ?? ROWS).map((customer) => {
    const { used, live } = capacity(customer, "port_monitoring");
    const alerts = live.reduce((sum, { key }) => sum + openPortAlerts(key).length, 0);
    const alarm = [h("span", { "aria-hidden": "true" }, alerts), unseen(count(alerts, "open port alert"))];
    const about = `${customer.client_id} · ${count(used, "server")}`;
    const content = [strong(customerName(customer)), dim(about), alerts > 0 && h("span", { class: "alarm" }, alarm)];
    return h("li", { key: customer.client_id }, choose(chosen.tenant, customer.client_id, content));
  });
  return h("ul", { class: "choices inner" }, items, more("customers", all.length));
}

// --- the account or the customer that is looked at ----------------------------------------------------------------
function drawShown() {
  const customer = customers().find(({ client_id: id }) => id === chosen.client);
  const missing = known.tenants.length ? "Loading." : "There is no account.";
  draw(byId("shown"), !known.account ? none(missing) : customer ? customerView(customer) : accountView());
}

const section = (title, ...content) => h("section", { key: title }, h("h3", null, title), ...content);

function facts(all) {
  const items = all.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value)));
  return h("dl", { key: "facts", class: "facts" }, items);
}

function accountView() {
  const { portal_domain: domain, limits, timings, rate_limit: limited } = settings();
  const { scenario, progress } = controls();
  const servers = records("endpoints").filter((each) => !isGone(each)).length;
  const rules = records("rules").filter(({ value }) => value.scope === "account");
  const scans = `${progress}, every ${span(timings.scan_interval * 1000)}, for ${timings.scan_duration} s`;
  const scenarios = ["clean", "warnings", "critical"].map((name) =>
    button(name, "scenario", { "data-name": name, "aria-pressed": String(name === scenario) }));
  return [
    h("h2", { key: "name" }, short(known.account.name, 300)),
    facts([
      ["Portal domain", domain], ["Customers", customers().length],
      ["Servers", `${servers} of ${limits.account_endpoint_limit}`], ["Rate limit", limited], ["Scans", scans],
    ]),
    section("Scenario", none("What scans find from now on, where no ports or findings were set."), row(scenarios)),
    section("Rules of the whole account", ruleList(rules)),
    section("Reset", none("Removes all records, and puts settings, clock and faults back to the start. The keys stay."),
      button("Reset this account…", "reset", { class: "grave" })),
  ];
}

function customerView(customer) {
  const mine = subscriptions().filter(({ client }) => client === customer.client_id);
  const who = [`Customer ${customer.client_id} of ${short(known.account.name)}`, customer.email];
  return [
    h("h2", { key: "name" }, short(customerName(customer), 300)),
    h("p", { key: "who", class: "dim" }, who.filter(Boolean).join(" · ")),
    h("div", { key: "capacity", class: "capacities" },
      gauge("Servers", capacity(customer, "port_monitoring")),
      gauge("Domains", capacity(customer, "domain_monitoring"))),
    section("Servers", serverList(ofCustomer("endpoints", customer.number))),
    section("Domains", list("domains", ofCustomer("domains", customer.number), domainRow)),
    section("Subscriptions", list("subscriptions", mine, subscriptionRow)),
    section("Rules", ruleList(rulesOf(customer.number))),
  ];
}

function gauge(name, { limit, used, live }) {
  const by = { active: 0, hand: 0, platform: 0 };
  for (const { value } of live) by[value.state.active ? "active" : value.state.paused]++;
  const paused = [by.hand && `${by.hand} paused by hand`, by.platform && `${by.platform} paused: over capacity`];
  const range = { min: 0, max: Math.max(limit, used, 1), value: used, high: limit + 0.5, optimum: 0 };
  const text = `${used} of ${limit}`;
  return h("div", { key: name, class: "capacity", "data-name": name },
    h("span", { class: "title" }, name), h("span", { class: "figure" }, text),
    h("meter", { "aria-label": `${name} used`, ...range }, text),
    dim([`${by.active} active`, ...paused].filter(Boolean).join(", ")));
}

function list(name, all, item) {
  if (all.length === 0) return none(`No ${name}.`);
  const shown = all.slice(0, opened.rows[name] ?? ROWS);
  const rest = more(name, all.length);
  return h("ul", { class: "rows" }, shown.map(item), rest && h("li", { key: "more" }, rest));
}

function serverList(all) {
  return list("servers", [...all].sort((one, other) => isGone(one) - isGone(other)), serverRow);
}

function serverRow(server) {
  const { key, id, value } = server;
  const [kind, text] = stateOf(value.state);
  const alarming = new Set(openPortAlerts(key).map(({ value: { port } }) => portText(port)));
  const name = serverName(server);
  const address = value.address !== name && h("span", { class: "dim address" }, value.address);
  const isOpen = opened.ports.has(id);
  const expanded = { "aria-expanded": String(isOpen), "aria-label": `Ports: ${name}` };
  const ports = button("Ports", "ports", { "data-id": id, ...expanded });
  return h("li", { key: id, class: `record ${kind}`, "data-id": id },
    head(strong(name), address, value.simulated && mark("plain", "simulated"), mark(kind, text)),
    found(value.found?.ports.map((port) => portMark(portText(port), alarming)), "no open port", alarming.size),
    kind !== "gone" && foot(scanTimes(value), row(value.state.active && scanButton("endpoints", id, name), ports)),
    isOpen && portForm(server));
}

function scanButton(what, id, name) {
  return button("Scan now", "scan", { "data-id": id, "data-what": what, "aria-label": `Scan now: ${name}` });
}

/** What the last scan found, if there was one, and how many alerts are open. */
function found(marks, nothing, alerts) {
  const shown = !marks ? dim("not scanned yet") : marks.length ? marks : dim(nothing);
  const alarm = alerts > 0 && h("span", { class: "alert-text" }, count(alerts, "open alert"));
  return h("div", { class: "ports" }, shown, alarm);
}

function portMark(port, alarming) {
  const isAlarming = alarming.has(port);
  const name = isAlarming ? "port alarming" : "port";
  return h("span", { key: port, class: name }, port, isAlarming && unseen(" with an alert"));
}

function scanTimes({ last_scan: last, next_scan_at: next, state }) {
  const before = last ? ["scan ", last.outcome, " ", when(last.at)] : ["never scanned"];
  return dim(state.active === "waiting" ? [before, ", next ", when(next)] : before);
}

function portForm({ key, id, value }) {
  const world = record("endpoint_worlds", key)?.value ?? value.found?.ports ?? [];
  const ports = world.map(portText).join(", ");
  const field = { name: "open", value: ports, autocomplete: "off", placeholder: "22, 443, 53/udp" };
  const scan = value.state.active && h("button", { name: "scan", value: "now", class: "main" }, "Set and scan");
  return h("form", { key: "ports", class: "port-form", "data-do": "set-ports", "data-id": id },
    h("label", null, "Open from now on ", h("input", field)), row(h("button", null, "Set"), scan));
}

function domainRow({ id, key, value }) {
  const [kind, text] = stateOf(value.state);
  const words = ["employee leak", "customer leak", "third-party leak", "mention"];
  const counted = words.map((word, index) => [value.found[index], word]).filter(([number]) => number);
  const marks = counted.map(([number, word]) => h("span", { key: word, class: "port" }, count(number, word)));
  const isMine = (alert) => alert.value.domain === Number(key) && alert.value.state === "open";
  const name = short(value.name);
  return h("li", { key: id, class: `record ${kind}`, "data-id": id },
    head(strong(name), mark(kind, text)),
    found(value.last_scan && marks, "nothing found", records("domain_alerts").filter(isMine).length),
    kind !== "gone" && foot(scanTimes(value), value.state.active && scanButton("domains", id, name)));
}

function subscriptionRow({ key, service, product, offer, status }) {
  const kind = { active: "good", suspended: "paused", cancelled: "gone" }[status];
  const holds = offer.plan ?? (offer.units === undefined ? "one server" : count(offer.units, "unit"));
  return h("li", { key, class: `record line ${kind}` },
    strong(`Service ${service}`), h("span", null, `${product.replace("_", " ")}, ${short(holds)}`), mark(kind, status));
}

function rulePorts({ ports: [from, to], protocol }) {
  return `${from === to ? from : `${from}–${to}`}/${protocol === "*" ? "any" : protocol}`;
}

function ruleList(all) {
  return list("rules", all, ({ key, id, value }) => {
    const server = record("endpoints", value.scope.endpoint);
    const one = server ? serverName(server) : "a server that is gone";
    const everywhere = value.scope === "account" ? "all servers of every customer" : "all servers";
    const where = value.scope.endpoint === undefined ? everywhere : one;
    const end = value.expires_at && Object.values(value.expires_at)[0];
    const isOver = end && Date.parse(end) < nowMs();
    return h("li", { key: id ?? key, class: "record line" },
      h("span", { class: "port" }, rulePorts(value)), h("span", null, where),
      h("span", { class: "dim reason" }, short(value.justification, 200)),
      end && h("span", { class: isOver ? "mark bad" : "dim" }, isOver ? "ended " : "ends ", when(end)));
  });
}
