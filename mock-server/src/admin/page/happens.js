"use strict";
// The right side: the journal, the faults and the playbooks.

const search = byId("search").elements;

// --- the journal --------------------------------------------------------------------------------------------------
/** Statuses and their beginnings, `x` for any digit, `none` for a call without an answer. */
function statusFits(call, wanted) {
  const words = wanted.toLowerCase().split(/[\s,]+/).filter(Boolean);
  const pattern = (word) => new RegExp(`^${word.replace(/\W/g, "").replaceAll("x", "\\d")}`);
  return words.length === 0 || words.some((word) => pattern(word).test(call.status ?? "none"));
}

/** A path with `*` for anything, or a part of a path. */
function pathFits(path, wanted) {
  return wanted.includes("*") ? isPath(path, wanted) : path.includes(wanted);
}

function isPath(path, pattern) {
  const texts = pattern.split("*").map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${texts.join(".*")}$`).test(path);
}

function textFits(call, wanted) {
  if (wanted === "") return true;
  call.searched ??= JSON.stringify(call).toLowerCase();
  return call.searched.includes(wanted.toLowerCase());
}

/** Calls and notes that fit, newest first. */
function happenings() {
  const [text, path, status] = ["text", "path", "status"].map((name) => search[name].value.trim());
  const isMine = ({ tenant }) => search.all.checked || tenant === chosen.tenant;
  const fits = (call) => isMine(call) && pathFits(call.path, path) && statusFits(call, status) && textFits(call, text);
  const calls = [...known.calls.values()].filter(fits).map((call) => ({ order: call.id, call }));
  const notes = text || path || status ? [] : known.notes.filter(isMine).map((note) => ({ order: note.order, note }));
  return [...calls, ...notes].sort((one, other) => other.order - one.order);
}

function drawCalls() {
  const all = happenings();
  const shown = all.slice(0, opened.rows.calls ?? ROWS);
  const idOf = ({ call, note }) => String((call ?? note).id);
  const tabbed = shown.find((each) => idOf(each) === opened.tabbed) ?? shown[0];
  const rowOf = (each) => (each.call ? callRow(each.call, each === tabbed) : noteRow(each.note, each === tabbed));
  const nothing = known.calls.size ? "Nothing fits." : "No calls yet. They appear here as they come.";
  draw(byId("calls"), shown.map(rowOf));
  draw(byId("counted"), all.length ? count(all.length, "entry", "entries") : nothing);
  byId("more-calls").hidden = all.length <= shown.length && known.calls.size < chosen.journalLimit;
}

function opener(id, isTabbed, content) {
  const isOpen = opened.calls.has(String(id));
  const attributes = { class: "opener", "aria-expanded": String(isOpen), tabindex: isTabbed ? "0" : "-1" };
  return button(content, "open", { "data-id": id, ...attributes });
}

const time = (text) => h("span", { class: "when dim" }, text);

function callRow(call, isTabbed) {
  const { id, at, tenant, method, path, query, status, fault, notices } = call;
  const kind = status === null || status >= 500 ? "bad" : status >= 400 ? "warn" : "good";
  const summary = [
    time(at.slice(11, 19)), h("span", { class: "method" }, method),
    h("span", { class: "path" }, short(path, 300), query && dim(`?${short(query, 200)}`)),
    search.all.checked && dim(tenant ?? "no account"),
    fault !== undefined && mark("warn", "fault"), notices && mark("warn", count(notices.length, "notice")),
    h("span", { class: `status ${kind}` }, status ?? "no answer"),
  ];
  const isOpen = opened.calls.has(String(id));
  return h("li", { key: id, "data-id": id }, opener(id, isTabbed, summary), isOpen && callDetail(call));
}

function circumstances({ at, duration_us: duration, fault, status, processed, sandbox }) {
  const lost = processed ? "Processed, but not answered" : "Neither processed nor answered";
  const took = `${clockText(Date.parse(at))} by the account's clock, in ${duration} µs`;
  const all = [took, fault && `Met by fault ${fault}`, status === null && lost, sandbox && "Simulated (X-Sandbox)"];
  return all.filter(Boolean).join(" · ");
}

/** What a call changed before this page listened: the journal names the records, and not what they were. */
function earlierChanges({ tenant, changed = [] }) {
  const valueOf = ({ kind, key }) => (tenant === known.account?.name ? record(kind, key)?.value : undefined);
  return changed.map((one) => ({ ...one, tenant, was: undefined, now: valueOf(one) }));
}

function callDetail(call) {
  const changes = known.changes.get(call.id) ?? earlierChanges(call);
  const notices = (call.notices ?? []).map(({ code, sentence }) => h("p", null, mark("warn", code), " ", sentence));
  const copies = ["curl", "secmon"].map((form) => button(`Copy as ${form}`, `copy-${form}`, { "data-id": call.id }));
  return h("div", { key: "detail", class: "detail" },
    none(circumstances(call)), notices,
    h("h3", null, "Changed"), changes.length ? changeList(changes) : none("No record."),
    call.body !== null && [h("h3", null, "Request"), pre(call.body, "Request")],
    h("h3", null, "Answer"), call.response === null ? none("Without a body.") : pre(call.response, "Answer"),
    row(copies));
}

function pre(value, label) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return h("pre", { tabindex: "0", role: "group", "aria-label": label }, short(text, 20000));
}

function changeList(changes) {
  const told = changes.map((change) => [recordName(change), changeText(change)]).filter(([, text]) => text);
  const items = told.map(([name, text]) => h("li", null, h("strong", null, name), " ", text));
  return h("ul", { class: "changes" }, items);
}

function noteRow({ id, text, changes, tenant, at }, isTabbed) {
  const changed = changes.length > 0 && mark("plain", count(changes.length, "change"));
  const whose = search.all.checked && dim(tenant);
  const summary = [time(at?.slice(11, 19) ?? ""), h("span", { class: "path" }, text), whose, changed];
  const detail = changes.length ? changeList(changes) : none("No record changed.");
  return h("li", { key: id, class: "note", "data-id": id }, opener(id, isTabbed, summary),
    opened.calls.has(id) && h("div", { key: "detail", class: "detail" }, detail));
}

// --- faults -------------------------------------------------------------------------------------------------------
function faultWords({ tenant, operation, method, path, match, times, after, probability, effect }) {
  const what = effect.tls ? "TLS handshake" : "call";
  const calls = times === 0 ? `Every ${what}` : times === 1 ? `The next ${what}` : `The next ${times} ${what}s`;
  const which = [
    operation && `of ${operation}`, method, path, tenant ? `of ${tenant}` : !effect.tls && "of any account",
    match && `that says ${short(JSON.stringify(match))}`, after > 0 && `after the first ${after}`,
    probability != null && probability < 1 && `with likelihood ${probability}`,
  ];
  return `${[calls, ...which.filter(Boolean)].join(" ")} ${effectWords(effect, times > 1 ? "" : "s")}.`;
}

const ENDS = {
  before: "before it is processed", after: "after it was processed",
  mid_body: "halfway through the answer", reset: "by a TCP reset",
};

const CERTIFICATES = { expired: "that has expired", wrong_host: "for another host", untrusted: "that nobody trusts" };
/** `s` is the ending of the verb. */
function effectWords(effect, s) {
  if (effect.latency_ms !== undefined) return `wait${s} ${effect.latency_ms} ms`;
  if (effect.body !== undefined) return `get${s} a raw body with status ${effect.status ?? 200}`;
  if (effect.tls !== undefined) return `show${s} a certificate ${CERTIFICATES[effect.tls] ?? effect.tls}`;
  if (effect.close !== undefined) return `lose${s} the connection ${ENDS[effect.close] ?? effect.close}`;
  return `get${s} ${[effect.status, effect.code].filter(Boolean).join(" ")}`;
}

/** How many calls of the journal are of the kind that a fault is for, whatever they say. */
function wouldMeet({ tenant, operation, method, path }) {
  const oneName = (text) => text.replace("/provisioning/", "/billing/");
  const patterns = known.operations.filter(({ name }) => name === operation);
  const isOne = (call) => patterns.some((each) =>
    each.method === call.method && isPath(oneName(call.path), oneName(each.path).replace(/\{\w+\}/g, "*")));
  const fits = (call) => (!tenant || call.tenant === tenant) && (!method || call.method === method) &&
    (!path || isPath(call.path, path)) && (!operation || isOne(call));
  return [...known.calls.values()].filter(fits).length;
}

function faultRow(fault) {
  const { id, hits, times } = fault;
  const hit = dim(`Fault ${id}: hit ${hits}${times === 0 ? "" : ` of ${times}`}`);
  const remove = button("Remove", "remove-fault", { "data-id": id, "aria-label": `Remove fault ${id}` });
  return h("li", { key: id, class: "record", "data-id": id }, h("div", null, faultWords(fault)), foot(hit, remove));
}

function drawFaults() {
  const all = [h("ul", { class: "rows" }, known.faults.map(faultRow)), row(button("Remove all", "clear-faults"))];
  draw(byId("fault-list"), known.faults.length ? all : none("No faults: every call is answered as usual."));
  draw(byId("fault-count"), known.faults.length ? ` (${known.faults.length})` : "");
  const form = byId("fault").elements;
  const options = (names) => names.map((name) => h("option", { key: name, value: name }, short(name)));
  draw(form.tenant, [h("option", { value: "" }, "any"), options(known.tenants.map(({ name }) => name))]);
  draw(byId("operations"), options([...new Set(known.operations.map(({ name }) => name))]));
  for (const label of document.querySelectorAll("#fault [data-for]")) {
    label.hidden = !label.dataset.for.split(" ").includes(form.kind.value);
  }
  drawWillHit();
}

function drawWillHit() {
  try {
    const fault = faultWanted();
    const met = fault.effect.tls ? "" : `${count(wouldMeet(fault), "call")} of this kind in the journal.`;
    draw(byId("will-hit"), `${faultWords(fault)} ${met}`);
  } catch (error) {
    draw(byId("will-hit"), error.message);
  }
}

function faultWanted() {
  const form = byId("fault").elements;
  const text = (name) => form[name].value.trim() || undefined;
  const number = (name) => (text(name) === undefined ? undefined : Number(text(name)));
  const retry = /^\d+$/.test(text("retry_after")) ? number("retry_after") : text("retry_after");
  const effects = {
    status: () => ({ status: number("status"), code: text("code"), retry_after: retry }),
    latency: () => ({ latency_ms: number("latency_ms") }),
    close: () => ({ close: form.close.value }),
    body: () => ({ body: form.body.value, status: number("status") }),
    tls: () => ({ tls: form.tls.value }),
  };
  return {
    tenant: text("tenant"), operation: text("operation"), method: text("method"), path: text("path"),
    times: number("times") ?? 1, after: number("after") ?? 0, probability: number("probability"),
    match: text("match") && readJson(text("match")), effect: effects[form.kind.value](),
  };
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`“Only calls that say” must be a JSON object, such as {"client_id": 42}.`);
  }
}

// --- playbooks ----------------------------------------------------------------------------------------------------
function drawPlaybooks() {
  const offered = known.playbooks.map(({ name, goal }) => h("li", { key: name, class: "record" },
    head(strong(name), button("Start", "start", { "data-name": name, "aria-label": `Start ${name}` })), none(goal)));
  const runs = [...known.runs].reverse().map(runRow);
  const about = "Each gives your client an account, a goal and trouble on the way, and tells whether it got there.";
  draw(byId("playbooks"), [
    runs.length > 0 && [h("h2", { key: "runs" }, "Runs"), h("ul", { key: "run-list", class: "rows" }, runs)],
    h("h2", { key: "offered" }, "Playbooks"), none(about), h("ul", { key: "list", class: "rows" }, offered),
  ]);
}

function runRow({ id, name, tenant }) {
  const { verdict, findings } = known.verdicts.get(id) ?? { verdict: "running", findings: [] };
  const kind = { passed: "good", failed: "bad", running: "busy" }[verdict] ?? "plain";
  const calls = [...known.calls.values()].filter((call) => call.tenant === tenant).length;
  const started = known.started.get(id);
  const goal = known.playbooks.find((each) => each.name === name)?.goal;
  const act = (text, what, more) => button(text, what, { "data-id": id, "aria-label": `${text}: ${name}`, ...more });
  return h("li", { key: id, class: "record", "data-id": id },
    head(strong(name), mark(kind, verdict)), h("p", null, goal),
    facts([["Account", tenant], started && ["Address", started.base_url], ["Calls so far", calls]].filter(Boolean)),
    h("ul", { class: "changes" }, findings.map((finding) => h("li", null, short(finding, 400)))),
    row(started && act("Copy key", "copy-key"), act("Show its account", "choose", { "data-tenant": tenant }),
      verdict === "running" && act("The client is done", "finish"), act("End", "end-run")));
}
