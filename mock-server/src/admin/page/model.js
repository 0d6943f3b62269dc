"use strict";
// What the page knows, and how it hears of it. Nothing here touches the document.

const KEY = "secmon-mock-admin-key";
/** More calls than this are forgotten, oldest first. */
const MOST_CALLS = 2000;
/** They are never shown, so they are never kept. */
const SECRET_TABLES = ["keys", "sso_tokens"];

const known = {
  tenants: [],
  /** The account that is looked at: its name, its records by table and key, its clock. */
  account: null,
  clock: null,
  calls: new Map(),
  /** What a call changed, by the id of its journal entry. */
  changes: new Map(),
  /** What happened without a call: time, the admin API. Newest last. */
  notes: [],
  faults: [],
  operations: [],
  playbooks: [],
  runs: [],
  /** Of the runs that this page started: where they play and with which key. */
  started: new Map(),
  verdicts: new Map(),
};

/** What is looked at. */
const chosen = { tenant: null, client: null, journalLimit: 200 };

// --- asking -------------------------------------------------------------------------------------------------------
async function send(path, { method = "GET", body, headers = {}, signal } = {}) {
  const key = sessionStorage.getItem(KEY);
  const all = { ...headers };
  if (key) all.Authorization = `Bearer ${key}`;
  if (body !== undefined) all["Content-Type"] = "application/json";
  const options = { method, headers: all, signal, body: body === undefined ? undefined : JSON.stringify(body) };
  const answer = await fetch(path, options);
  if (answer.status !== 401) return answer;
  await askForKey(key);
  return send(path, { method, body, headers, signal });
}

async function ask(path, options) {
  const answer = await send(path, options);
  if (answer.status === 204) return null;
  const said = await answer.json().catch(() => ({ error: `The mock answered ${answer.status} without JSON.` }));
  if (!answer.ok) throw new Error(said.error ?? `The mock answered ${answer.status}.`);
  return said;
}

const part = encodeURIComponent;
const ofTenant = (name) => `tenant=${part(name)}`;

async function loadTenants() {
  known.tenants = (await ask("tenants")).tenants;
}

async function loadAccount() {
  const name = chosen.tenant;
  if (name === null) return;
  const [document, clock] = await Promise.all([
    ask(`tenants/${part(name)}/state`), ask(`tenants/${part(name)}/clock`),
  ]);
  if (chosen.tenant !== name) return;
  const tables = {};
  for (const record of document.account.state.records) {
    if (!SECRET_TABLES.includes(record.table)) table(tables, record.table).set(record.key, keep(record, record.value));
  }
  known.account = { name, tables };
  setClock(clock);
}

const keep = ({ key, id }, value) => ({ key, id: id ?? null, value });

function table(tables, name) {
  tables[name] ??= new Map();
  return tables[name];
}

/** The records of one table of the account that is looked at. */
const records = (name) => [...(known.account?.tables[name]?.values() ?? [])];
const record = (name, key) => known.account?.tables[name]?.get(String(key));
const settings = () => record("settings", "account")?.value ?? {};
const controls = () => record("controls", "account")?.value ?? {};

async function loadCalls() {
  const limit = `limit=${chosen.journalLimit}`;
  const asked = [ask(`requests?${limit}`)];
  if (chosen.tenant !== null) asked.push(ask(`requests?${limit}&${ofTenant(chosen.tenant)}`));
  for (const { requests } of await Promise.all(asked)) requests.forEach(addCall);
}

async function loadFaults() {
  known.faults = (await ask("faults")).faults;
}

async function loadPlaybooks() {
  const { playbooks, runs } = await ask("playbooks");
  Object.assign(known, { playbooks, runs });
  await Promise.all(runs.filter(({ id }) => !known.verdicts.has(id)).map(({ id }) => loadVerdict(id)));
}

async function loadVerdict(id) {
  if (known.runs.some((run) => run.id === id)) known.verdicts.set(id, await ask(`playbooks/${id}`));
}

/** The operations' names, from the partner API's own description. */
async function loadOperations() {
  const { paths } = await ask("/openapi.json");
  const found = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      if (operationId) found.push({ name: operationId, method: method.toUpperCase(), path });
    }
  }
  known.operations = found;
}

/** Calls are read anew, too: after a restart of the mock, the same ids are other calls. */
async function loadEverything() {
  const before = known.calls;
  known.calls = new Map();
  known.verdicts.clear();
  await loadTenants();
  chooseExisting();
  await Promise.all([loadAccount(), loadCalls(), loadFaults(), loadPlaybooks(), loadOperations()]);
  for (const id of known.changes.keys()) {
    if (before.get(id)?.at !== known.calls.get(id)?.at) known.changes.delete(id);
  }
  known.notes = known.notes.filter(({ order }) => order < newestCall() + 1);
}

/** Looks at the first account where the chosen one is gone. */
function chooseExisting() {
  if (known.tenants.some(({ name }) => name === chosen.tenant)) return;
  Object.assign(chosen, { tenant: known.tenants[0]?.name ?? null, client: null });
  known.account = null;
}

// --- listening ----------------------------------------------------------------------------------------------------
/** Listens for ever. `heard` is called for each event, `anew` for each connection: the mock may be another by then. */
async function listen(heard, anew) {
  let last = null;
  for (let pause = 500; ; pause = Math.min(pause * 2, 15000)) {
    try {
      const answer = await send("events", { headers: last === null ? {} : { "Last-Event-ID": last } });
      if (answer.ok) {
        await anew();
        setLive(true);
        pause = 500;
        for await (const event of eventsIn(answer.body)) {
          last = event.id ?? last;
          await heard(event);
        }
      } else last = null;
    } catch {
      // The mock is gone or going; it is asked again after the pause.
    }
    setLive(false);
    await new Promise((done) => setTimeout(done, pause));
  }
}

async function* eventsIn(body) {
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = eventOf(block);
      if (event.data !== undefined) yield event;
    }
  }
}

function eventOf(block) {
  const event = {};
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === "data") event.data = JSON.parse(value);
    else if (name) event[name] = value;
  }
  return event;
}

function addCall(call) {
  const before = known.calls.get(call.id);
  known.calls.set(call.id, before ? Object.assign(before, call) : call);
  forgetOldest(known.calls);
}

const newestCall = () => Math.max(0, ...known.calls.keys());

function forgetOldest(map) {
  while (map.size > MOST_CALLS) map.delete(map.keys().next().value);
}

/** Keeps what changed with the call that did it, or else with what happened by itself at about the same time. */
function addChange({ tenant, request, kind, key, id, now }) {
  const mine = known.account?.name === tenant ? table(known.account.tables, kind) : null;
  const change = { tenant, kind, key, id, was: mine ? (mine.get(key)?.value ?? null) : undefined, now };
  if (mine && now === null) mine.delete(key);
  else if (mine) mine.set(key, keep({ key, id }, now));
  if (request === null) return currentNote(tenant).changes.push(change);
  known.changes.set(request, [...(known.changes.get(request) ?? []), change]);
  forgetOldest(known.changes);
}

/** What arrives at about the same time belongs together. */
function currentNote(tenant) {
  const last = known.notes.at(-1);
  return last?.tenant === tenant && performance.now() - last.heard < 600 ? last : addNote(tenant, "Without a call");
}

function noteClock(text) {
  currentNote(chosen.tenant).text = text;
}

function addNote(tenant, text) {
  const at = known.clock && tenant === chosen.tenant ? new Date(nowMs()).toISOString() : null;
  const order = newestCall() + noteCount / 1e9;
  const note = { id: `note-${noteCount}`, order, tenant, text, at, changes: [], heard: performance.now() };
  noteCount++;
  known.notes.push(note);
  if (known.notes.length > 200) known.notes.shift();
  return note;
}
let noteCount = 1;

// --- time ---------------------------------------------------------------------------------------------------------
function setClock({ now, mode }) {
  known.clock = { at: Date.parse(now), mode, heard: performance.now() };
}

/** The account's time in milliseconds. */
function nowMs() {
  const { at, mode, heard } = known.clock;
  return mode === "real" ? at + performance.now() - heard : at;
}

/** When the next scan of the account ends, or null. One that runs began when it was due. */
function nextDue() {
  if (controls().progress !== "timed") return null;
  const scanMs = (settings().timings?.scan_duration ?? 0) * 1000;
  const active = [...records("endpoints"), ...records("domains")].filter(({ value }) => value.state.active);
  const ends = active.map(({ value }) => Date.parse(value.next_scan_at) + scanMs);
  return ends.length ? Math.min(...ends) : null;
}

// --- what the records mean ----------------------------------------------------------------------------------------
/** The customers by client id, those too that have a subscription only. */
function customers() {
  const found = new Map();
  for (const { key, value } of records("customers")) found.set(value.client_id, { number: Number(key), ...value });
  for (const { client } of subscriptions()) {
    if (!found.has(client)) found.set(client, { number: null, client_id: client, name: null, email: null });
  }
  return [...found.values()].sort((one, other) => one.client_id - other.client_id);
}

function subscriptions() {
  return records("subscriptions").map(({ key, value }) => {
    const [client, service, product] = key.split("/");
    return { key, client: Number(client), service, product, ...value };
  });
}

const isGone = ({ value }) => value.state === "terminated" || Boolean(value.state.deleted);
const isDeleted = ({ value }) => Boolean(value.state.deleted);
const ofCustomer = (name, number) => records(name).filter((each) => each.value.customer === number && !isDeleted(each));

/** What a customer may have (B5) and has (B6). */
function capacity({ client_id: client, number }, product) {
  const servers = product === "port_monitoring";
  const all = subscriptions().filter((each) => each.client === client && each.product === product);
  const plans = settings().catalogue?.port_monitoring ?? {};
  const holds = ({ offer }) => (servers ? (plans[offer.plan] ?? 0) : offer.units);
  const active = all.filter(({ status }) => status === "active");
  const bought = active.reduce((sum, each) => sum + holds(each), 0);
  const limit = servers && all.length === 0 ? settings().limits.default_endpoint_limit : bought;
  const live = ofCustomer(servers ? "endpoints" : "domains", number).filter((each) => !isGone(each));
  return { limit, used: live.length, live };
}

function openPortAlerts(endpoint) {
  return records("port_alerts").filter(({ value }) => value.endpoint === Number(endpoint) && value.resolution === null);
}

function rulesOf(number) {
  const mine = new Set(ofCustomer("endpoints", number).map(({ key }) => Number(key)));
  const holds = scope => scope === "account" || scope.customer === number || mine.has(scope.endpoint);
  return records("rules").filter(({ value }) => holds(value.scope));
}
