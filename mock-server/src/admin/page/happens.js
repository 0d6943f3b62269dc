"use strict";
// The right side: the journal, the faults and the playbooks.


const search = byId("search").elements;

function statusFits(call, wanted) {
  if (wanted === "") return true;
  const status = call.status === null ? "none" : String(call.status);
  return wanted.toLowerCase().split(/[\s,]+/).filter(Boolean).some((each) => new RegExp(`^${each.replace(/[^\w]/g, "").replaceAll("x", "\\d")}`).test(status));
}

/** A path with `*` for anything; without a slash or `*`, a part of a path. */
function pathFits(path, wanted) {
  if (wanted === "") return true;
  if (!/[*]/.test(wanted)) return path.includes(wanted);
  const pattern = wanted.split("*").map((text) => text.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join(".*");
  return new RegExp(`^${pattern}$`).test(path);
}

function textFits(call, wanted) {
  if (wanted === "") return true;
  call.searched ??= JSON.stringify(call).toLowerCase();
  return call.searched.includes(wanted);
}

/** Calls and notes that fit, newest first. */
function happenings() {
  const [text, path, status] = ["text", "path", "status"].map((name) => search[name].value.trim());
  const mine = ({ tenant }) => search.all.checked || tenant === chosen.tenant;
  const fits = (call) => mine(call) && pathFits(call.path, path) && statusFits(call, status) && textFits(call, text.toLowerCase());
  const calls = [...known.calls.values()].filter(fits).map((call) => ({ order: call.id, call }));
  const notes = text || path || status ? [] : known.notes.filter(mine).map((note) => ({ order: note.order, note }));
  return [...calls, ...notes].sort((one, other) => other.order - one.order);
}

function drawCalls() {
  const all = happenings();
  const shown = all.slice(0, opened.rows.calls ?? ROWS);
  const tabbed = shown.find(({ call, note }) => (call ?? note).id === opened.tabbed) ?? shown[0];
  draw(byId("calls"), shown.map((each) => (each.call ? callRow(each.call, each === tabbed) : noteRow(each.note, each === tabbed))));
  draw(byId("counted"), all.length ? count(all.length, "entry", "entries") : known.calls.size ? "Nothing fits." : "No calls yet. They appear here as they come.");
  byId("more-calls").hidden = all.length <= shown.length && known.calls.size < chosen.journalLimit;
}

function opener(id, isTabbed, content) {
  const open = opened.calls.has(String(id));
  return button(content, "open", { class: "opener", "data-id": id, "aria-expanded": String(open), tabindex: isTabbed ? "0" : "-1" });
}

function callRow(call, isTabbed) {
  const { id, at, tenant, method, path, query, status, fault, notices } = call;
  const kind = status === null ? "bad" : status >= 500 ? "bad" : status >= 400 ? "warn" : "good";
  const summary = [
    h("span", { class: "when dim" }, at.slice(11, 19)), h("span", { class: "method" }, method),
    h("span", { class: "path" }, short(path, 300), query && h("span", { class: "dim" }, `?${short(query, 200)}`)),
    search.all.checked && h("span", { class: "dim" }, tenant ?? "no account"),
    fault !== undefined && mark("warn", "fault"), notices && mark("warn", count(notices.length, "notice")),
    h("span", { class: `status ${kind}` }, status ?? "no answer"),
  ];
  const open = opened.calls.has(String(id));
  return h("li", { key: id, "data-id": id }, opener(id, isTabbed, summary), open && callDetail(call));
}

function callDetail(call) {
  const changes = known.changes.get(call.id) ?? [];
  const lines = [`${clockText(Date.parse(call.at))} by the account's clock, in ${call.duration_us} µs`,
    call.fault !== undefined && `Met by fault ${call.fault}`, call.status === null && (call.processed ? "Processed, but not answered" : "Neither processed nor answered"), call.sandbox && "Simulated (X-Sandbox)"];
  return h("div", { key: "detail", class: "detail" },
    h("p", { class: "dim" }, lines.filter(Boolean).join(" · ")),
    (call.notices ?? []).map(({ code, sentence }) => h("p", { key: `notice ${code}`, class: "notice" }, mark("warn", code), " ", sentence)),
    h("h3", null, "Changed"), changes.length ? changeList(changes) : none("Nothing, as far as this page has heard."),
    call.body !== null && [h("h3", null, "Request"), pre(call.body, "Request")],
    h("h3", null, "Answer"), call.response === null ? none("Without a body.") : pre(call.response, "Answer"),
    h("div", { class: "row" }, button("Copy as curl", "copy-curl", { "data-id": call.id }), button("Copy as secmon", "copy-secmon", { "data-id": call.id })));
}

const pre = (value, label) => h("pre", { tabindex: "0", role: "group", "aria-label": label }, short(typeof value === "string" ? value : JSON.stringify(value, null, 2), 20000));
const changeList = (changes) => h("ul", { class: "changes" }, changes.map((change, index) => h("li", { key: index }, h("strong", null, recordName(change)), " ", changeText(change))));

function noteRow(note, isTabbed) {
  const { id, text, changes, tenant, at } = note;
  const summary = [h("span", { class: "when dim" }, at?.slice(11, 19) ?? ""), h("span", { class: "path" }, text), search.all.checked && h("span", { class: "dim" }, tenant), changes.length > 0 && mark("plain", count(changes.length, "change"))];
  return h("li", { key: id, class: "note" }, opener(id, isTabbed, summary), opened.calls.has(id) && h("div", { key: "detail", class: "detail" }, changes.length ? changeList(changes) : none("No record changed.")));
}

// --- faults -------------------------------------------------------------------------------------------------------

function faultWords({ tenant, operation, method, path, match, times, after, probability, effect }) {
  const calls = times === 0 ? "Every call" : times === 1 ? "The next call" : `The next ${times} calls`;
  const what = [operation && `of ${operation}`, [method, path].filter(Boolean).join(" "), tenant ? `of ${tenant}` : "of any account",
    match && `that says ${short(JSON.stringify(match))}`, after > 0 && `after the first ${after}`, probability != null && probability < 1 && `with likelihood ${probability}`];
  return `${[calls, ...what.filter(Boolean)].join(" ")} ${effectWords(effect, times > 1)}.`;
}

function effectWords(effect, many) {
  const s = many ? "" : "s";
  if (effect.latency_ms !== undefined) return `wait${s} ${effect.latency_ms} ms`;
  if (effect.body !== undefined) return `get${s} a raw body with status ${effect.status ?? 200}`;
  const ends = { before: "before it is processed", after: "after it was processed", mid_body: "halfway through the answer", reset: "by a TCP reset" };
  if (effect.close !== undefined) return `lose${s} the connection ${ends[effect.close] ?? effect.close}`;
  return `get${s} ${[effect.status, effect.code].filter(Boolean).join(" ")}`;
}

function wouldMeet({ tenant, operation, method, path }) {
  const named = known.operations.filter(({ name }) => name === operation);
  const isOperation = (call) => named.some((each) => each.method === call.method && pathFits(call.path.replace("/provisioning/", "/billing/"), each.path.replace("/provisioning/", "/billing/").replace(/\{\w+\}/g, "*")));
  return [...known.calls.values()].filter((call) => (!tenant || call.tenant === tenant) && (!method || call.method === method) && (!path || (path.includes("*") ? pathFits(call.path, path) : call.path === path)) && (!operation || isOperation(call))).length;
}

function drawFaults() {
  const left = ({ times, hits }) => (times === 0 ? "" : ` of ${times}`);
  const rows = known.faults.map((fault) => h("li", { key: fault.id, class: "record", "data-id": fault.id },
    h("div", null, faultWords(fault)),
    h("div", { class: "foot" }, h("span", { class: "dim" }, `Fault ${fault.id}: hit ${fault.hits}${left(fault)}`), button("Remove", "remove-fault", { "data-id": fault.id, "aria-label": `Remove fault ${fault.id}` }))));
  draw(byId("fault-list"), rows.length ? [h("ul", { key: "list", class: "rows" }, rows), h("div", { key: "all", class: "row" }, button("Remove all", "clear-faults"))] : none("No faults: every call is answered as usual."));
  draw(byId("fault-count"), known.faults.length ? ` (${known.faults.length})` : "");
  const form = byId("fault").elements;
  draw(form.tenant, [h("option", { value: "" }, "any"), known.tenants.map(({ name }) => h("option", { key: name, value: name }, short(name)))]);
  draw(byId("operations"), [...new Set(known.operations.map(({ name }) => name))].map((name) => h("option", { key: name, value: name })));
  for (const label of document.querySelectorAll("#fault [data-for]")) label.hidden = !label.dataset.for.split(" ").includes(form.kind.value);
  drawWillHit();
}

function drawWillHit() {
  try {
    const fault = faultWanted();
    draw(byId("will-hit"), `${faultWords(fault)} Of the calls in the journal it would have met ${wouldMeet(fault)}.`);
  } catch (error) {
    draw(byId("will-hit"), error.message);
  }
}

function faultWanted() {
  const form = byId("fault").elements;
  const text = (name) => form[name].value.trim() || undefined;
  const number = (name) => (text(name) === undefined ? undefined : Number(text(name)));
  const common = { tenant: text("tenant"), operation: text("operation"), method: text("method"), path: text("path"), times: number("times") ?? 1, after: number("after") ?? 0, probability: number("probability") };
  if (text("match")) common.match = readJson(text("match"));
  const retry = text("retry_after");
  const effects = {
    status: () => ({ status: number("status"), code: text("code"), retry_after: /^\d+$/.test(retry ?? "") ? Number(retry) : retry }),
    latency: () => ({ latency_ms: number("latency_ms") }),
    close: () => ({ close: form.close.value }),
    body: () => ({ body: form.body.value, status: number("status") }),
  };
  return { ...common, effect: effects[form.kind.value]() };
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
    h("div", { class: "head" }, h("span", { class: "name" }, name), button("Start", "start", { "data-name": name, "aria-label": `Start ${name}` })), h("p", { class: "dim" }, goal)));
  const runs = [...known.runs].reverse();
  draw(byId("playbooks"), [
    runs.length > 0 && [h("h2", { key: "runs" }, "Runs"), h("ul", { key: "run-list", class: "rows" }, runs.map(runRow))],
    h("h2", { key: "offered" }, "Playbooks"),
    h("p", { key: "about", class: "dim" }, "Each gives your client an account of its own, a goal and trouble on the way, and tells whether it got there."),
    h("ul", { key: "list", class: "rows" }, offered),
  ]);
}

function runRow({ id, name, tenant }) {
  const { verdict, findings } = known.verdicts.get(id) ?? { verdict: "running", findings: [] };
  const kinds = { passed: "good", failed: "bad", running: "busy" };
  const calls = [...known.calls.values()].filter((call) => call.tenant === tenant).length;
  const started = known.started.get(id);
  const goal = known.playbooks.find((each) => each.name === name)?.goal;
  const facts = [["Account", tenant], started && ["Address", started.base_url], ["Calls so far", calls]];
  return h("li", { key: id, class: "record", "data-id": id },
    h("div", { class: "head" }, h("span", { class: "name" }, name), mark(kinds[verdict] ?? "plain", verdict)),
    h("p", null, goal),
    h("dl", { class: "facts" }, facts.filter(Boolean).map(([term, text]) => h("div", { key: term }, h("dt", null, term), h("dd", null, text)))),
    findings.length > 0 && h("ul", { class: "changes" }, findings.map((finding, index) => h("li", { key: index }, short(finding, 400)))),
    h("div", { class: "row" },
      started && button("Copy key", "copy-key", { "data-id": id, "aria-label": `Copy the key of ${name}` }),
      button("Show its account", "choose", { "data-tenant": tenant }),
      verdict === "running" && button("The client is done", "finish", { "data-id": id }),
      button("End", "end-run", { "data-id": id, "aria-label": `End ${name}` })));
}
