"use strict";
// What is done: buttons, forms and keys, and what arrives.

let isDrawing = false;

/** Draws what is known, at the next frame. */
function redraw() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    drawClock();
    drawAccounts();
    drawShown();
    if (opened.tab === "journal") drawCalls();
    if (opened.tab === "playbooks") drawPlaybooks();
    drawFaults();
  });
}

function say(text, isBad = false) {
  byId("said").className = isBad ? "bad" : "";
  draw(byId("said"), short(text, 400));
}

function setLive(live) {
  byId("live").className = live ? "live on" : "live";
  draw(byId("live"), live ? "live" : "connecting again");
}

function drawClock() {
  if (!known.clock) return draw(byId("clock"), []);
  const due = nextDue();
  const steps = [["+1 min", 60, "one minute"], ["+1 h", 3600, "one hour"], ["+1 day", 86400, "one day"]];
  const label = { "aria-label": "Next scan: move the clock on to its end" };
  const toDue = { "data-seconds": "due", disabled: due === null ? "" : null, ...label };
  const step = ([text, seconds, words]) =>
    button(text, "advance", { "data-seconds": seconds, "aria-label": `${text}: move the clock on by ${words}` });
  draw(byId("clock"), [
    h("time", { key: "now", title: `Clock of ${short(chosen.tenant)} (${known.clock.mode})` }, clockText(nowMs())),
    steps.map(step),
    button("Next scan", "advance", toDue),
  ]);
}

// --- questions ----------------------------------------------------------------------------------------------------
let keyQuestion = null;

/** Asks for the admin key, once for all calls that wait for it. */
function askForKey(refused) {
  if (keyQuestion) return keyQuestion.answered;
  if (refused !== sessionStorage.getItem(KEY)) return null;
  if (refused !== null) draw(byId("key-said"), "That is not the key of this mock.");
  keyQuestion = {};
  keyQuestion.answered = new Promise((answer) => (keyQuestion.answer = answer));
  byId("key").showModal();
  return keyQuestion.answered;
}

function keyGiven() {
  const { answer } = keyQuestion;
  keyQuestion = null;
  sessionStorage.setItem(KEY, byId("key-form").elements.key.value);
  byId("key-form").reset();
  byId("key").close();
  answer();
}

let sureAction = null;

function sure(question, verb, action) {
  draw(byId("sure-said"), question);
  draw(document.querySelector("[data-do=sure-yes]"), verb);
  sureAction = action;
  byId("sure").showModal();
}

// --- copying ------------------------------------------------------------------------------------------------------
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}.`);
  } catch {
    byId("copy-text").value = text;
    byId("copy").showModal();
    byId("copy-text").select();
  }
}

/** A word of a shell: nothing in it is special, and no control character reaches the terminal. */
function word(text) {
  if (!/[\0-\x1f\x7f-\x9f]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const code = (found) => found.charCodeAt(0).toString(16).padStart(4, "0");
  const spelled = (found) => (/['\\]/.test(found) ? `\\${found}` : `\\u${code(found)}`);
  return `$'${text.replace(/['\\\0-\x1f\x7f-\x9f]/g, spelled)}'`;
}

function bodyText({ body }) {
  if (body === null) return null;
  return typeof body === "string" ? body : JSON.stringify(body);
}

const partner = `${location.protocol}//${document.querySelector("meta[name=partner]").content}`;
const target = ({ path, query }) => (query ? `${path}?${query}` : path);

function asCurl(call) {
  const body = bodyText(call);
  const words = ["curl --globoff -X", word(call.method), word(partner + target(call))];
  words.push('-H "Authorization: Bearer $SECMON_API_KEY"');
  if (call.sandbox) words.push("-H 'X-Sandbox: true'");
  if (body !== null) words.push("-H 'Content-Type: application/json'", "--data-raw", word(body));
  return words.join(" ");
}

function asSecmon(call) {
  const body = bodyText(call);
  const words = ["secmon api", "-X", word(call.method), word(target(call))];
  if (call.sandbox) words.push("--sandbox");
  if (body === null) return words.join(" ");
  return `printf %s ${word(body)} | ${words.join(" ")} --input -`;
}

// --- buttons ------------------------------------------------------------------------------------------------------
const call = ({ id }) => known.calls.get(Number(id));
const toggle = (set, id) => (set.has(id) ? set.delete(id) : set.add(id));
const here = (path) => `${path}${path.includes("?") ? "&" : "?"}${ofTenant(chosen.tenant)}`;
const post = (path, body) => ask(path, { method: "POST", body });

async function advance({ seconds }) {
  const due = nextDue();
  const wanted = seconds === "due" ? Math.max(0, Math.ceil((due - nowMs()) / 1000)) : Number(seconds);
  const tenant = chosen.tenant;
  const clock = await post(`tenants/${part(tenant)}/clock`, { advance_seconds: wanted });
  await clockMoved({ tenant, ...clock });
  say(`The clock of ${short(tenant)} is at ${clockText(Date.parse(clock.now))}.`);
}

async function look({ tenant, client }) {
  const isOther = tenant !== chosen.tenant;
  Object.assign(chosen, { tenant, client: client === undefined ? null : Number(client) });
  opened.rows = {};
  const address = [tenant, client].filter((each) => each !== undefined).map(part).join("/");
  history.replaceState(null, "", `#${address}`);
  if (!isOther) return;
  known.account = null;
  redraw();
  await Promise.all([loadAccount(), loadCalls()]);
}

async function scan({ what, id }) {
  await post(here(`${what}/${part(id)}/scan`), {});
  say("Scanned.");
}

async function startPlaybook({ name }) {
  const run = await post("playbooks", { name });
  known.started.set(run.id, run);
  await Promise.all([loadPlaybooks(), loadTenants()]);
  say(`${name} runs on the account ${run.tenant}.`);
}

function reset() {
  const name = chosen.tenant;
  const question = `All records of ${short(name)} are removed; settings, clock and faults go back to the start.`;
  sure(question, "Reset it", async () => {
    await post(`tenants/${part(name)}/reset`);
    await Promise.all([loadAccount(), loadFaults()]);
    say(`${short(name)} is at its start.`);
  });
}

function clearJournal() {
  const name = search.all.checked ? null : chosen.tenant;
  sure(`The journal of ${name === null ? "all accounts" : short(name)} is emptied.`, "Empty it", async () => {
    await ask(name === null ? "requests" : `requests?${ofTenant(name)}`, { method: "DELETE" });
    const isGone = ({ tenant }) => name === null || tenant === name;
    for (const call of [...known.calls.values()].filter(isGone)) known.calls.delete(call.id);
    known.notes = known.notes.filter((note) => !isGone(note));
    say("The journal is empty.");
  });
}

async function moreCalls() {
  opened.rows.calls = (opened.rows.calls ?? ROWS) * 2;
  if (known.calls.size < chosen.journalLimit || chosen.journalLimit >= MOST_CALLS / 2) return;
  chosen.journalLimit *= 2;
  await loadCalls();
}

async function setScenario({ name }) {
  await ask(`tenants/${part(chosen.tenant)}/scenario`, { method: "PUT", body: { scenario: name } });
  say(`Scans of ${short(chosen.tenant)} find the scenario ${name}.`);
}

const ACTS = {
  advance, scan, reset, start: startPlaybook, choose: look, clear: clearJournal,
  tab: (_, button) => showTab(button),
  open: ({ id }) => toggle(opened.calls, id),
  ports: ({ id }) => toggle(opened.ports, id),
  "more-rows": ({ name }) => (opened.rows[name] = (opened.rows[name] ?? ROWS) + 2 * ROWS),
  "more-calls": moreCalls,
  "copy-curl": (data) => copy(asCurl(call(data)), "the call as curl"),
  "copy-secmon": (data) => copy(asSecmon(call(data)), "the call as secmon"),
  scenario: setScenario,
  "copy-key": ({ id }) => copy(known.started.get(Number(id)).api_key, "the key"),
  "copy-done": () => byId("copy").close(),
  "remove-fault": ({ id }) => ask(`faults/${id}`, { method: "DELETE" }).then(loadFaults),
  "clear-faults": () => ask("faults", { method: "DELETE" }).then(loadFaults),
  finish: async ({ id }) => known.verdicts.set(Number(id), await ask(`playbooks/${id}?finished=1`)),
  "end-run": ({ id }) => ask(`playbooks/${id}`, { method: "DELETE" }).then(loadPlaybooks),
  "sure-no": () => byId("sure").close(),
  "sure-yes": () => {
    byId("sure").close();
    return sureAction();
  },
};

/** Does something, and says in a sentence what went wrong. */
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    say(error.message, true);
  }
  redraw();
}

document.addEventListener("click", (event) => {
  const pressed = event.target.closest("button[data-do]");
  if (pressed) attempt(() => ACTS[pressed.dataset.do]({ ...pressed.dataset }, pressed));
});

// --- forms --------------------------------------------------------------------------------------------------------
function portsIn(text) {
  return text.split(/[\s,]+/).filter(Boolean).map((each) => {
    const [, port, protocol] = /^(\d{1,5})(?:\/(tcp|udp))?$/.exec(each) ?? [];
    if (!port) throw new Error(`“${short(each, 40)}” is no port: write 22, 22/tcp or 53/udp.`);
    return { port: Number(port), protocol: protocol ?? "tcp" };
  });
}

async function setPorts(form, scanNow) {
  const { id } = form.dataset;
  const open = portsIn(form.elements.open.value);
  await ask(here(`endpoints/${part(id)}/ports`), { method: "PUT", body: { open } });
  if (scanNow) await post(here(`endpoints/${part(id)}/scan`), {});
  say(scanNow ? "The ports are set and scanned." : "The next scan finds these ports.");
}

async function placeFault() {
  const { id, warnings } = await post("faults", faultWanted());
  await loadFaults();
  say([`Fault ${id} is placed.`, ...(warnings ?? [])].join(" "));
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.id === "key-form") keyGiven();
  if (form.id === "fault") attempt(placeFault);
  if (form.dataset.do === "set-ports") attempt(() => setPorts(form, event.submitter?.value === "now"));
});

byId("search").addEventListener("input", redraw);
byId("fault").addEventListener("input", redraw);
byId("key").addEventListener("close", () => keyQuestion && byId("key").showModal());

// --- keys ---------------------------------------------------------------------------------------------------------
function showTab(tab) {
  for (const each of tab.parentElement.children) {
    const isChosen = each === tab;
    each.setAttribute("aria-selected", String(isChosen));
    each.tabIndex = isChosen ? 0 : -1;
    byId(each.getAttribute("aria-controls")).hidden = !isChosen;
  }
  opened.tab = tab.getAttribute("aria-controls");
  if (opened.tab === "playbooks") attempt(loadPlaybooks);
}

/** Lists in which the arrow keys go from one button to the next, so that Tab leaves them in one step. */
const WALKED = [
  ["#accounts", "button[data-do=choose]"], ["#calls", "button.opener"], ["[role=tablist]", "button[role=tab]"],
];
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select, textarea, dialog");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    showTab(byId("tab-journal"));
    search.text.focus();
  }
  const step = STEPS[event.key];
  const walked = step && WALKED.find(([list, item]) => event.target.closest(list) && event.target.matches(item));
  if (!walked) return;
  event.preventDefault();
  const items = [...event.target.closest(walked[0]).querySelectorAll(walked[1])];
  const next = items[Math.min(items.length - 1, Math.max(0, items.indexOf(event.target) + step))];
  for (const item of items) item.tabIndex = item === next ? 0 : -1;
  next.focus();
  if (next.role === "tab") showTab(next);
  if (next.dataset.do === "open") opened.tabbed = next.closest("li").dataset.id;
});

// --- what arrives -------------------------------------------------------------------------------------------------
async function heard({ event, data }) {
  if (event === "request") callHeard(data);
  if (event === "change" && data.kind === "tenant") accountChanged(data);
  else if (event === "change") addChange(data);
  if (event === "clock") await clockMoved(data);
  if (event === "fault") known.faults = data.faults;
  if (event === "gap") await loadEverything();
  redraw();
}

const waiting = new Map();

/** Does something once no further reason for it came for a while. */
function soon(name, ms, action) {
  clearTimeout(waiting.get(name));
  waiting.set(name, setTimeout(() => attempt(action), ms));
}

let newCalls = 0;

function callHeard(call) {
  addCall(call);
  const run = known.runs.find(({ tenant }) => tenant === call.tenant);
  if (run) soon(`verdict ${run.id}`, 200, () => loadVerdict(run.id));
  if (call.tenant !== chosen.tenant) return;
  newCalls++;
  soon("news", 2000, () => {
    draw(byId("news"), count(newCalls, "new call"));
    newCalls = 0;
  });
}

/** A reset takes the account's calls along. */
function accountChanged({ id, now }) {
  for (const call of [...known.calls.values()]) if (call.tenant === id) known.calls.delete(call.id);
  addNote(id, now === null ? "The account was removed" : "The account came, or was put back");
  if (id === chosen.tenant) known.account = null;
  soon("accounts", 100, async () => {
    await Promise.all([loadTenants(), loadPlaybooks()]);
    chooseExisting();
    await Promise.all([loadCalls(), known.account ?? loadAccount()]);
  });
}

/** The clock is told at the beginning, too, and when it was moved by nothing: only a jump is worth a note. */
async function clockMoved({ tenant, now, mode }) {
  if (!known.clock || (tenant !== null && tenant !== chosen.tenant)) return;
  const before = nowMs();
  setClock(tenant === null ? await ask(`tenants/${part(chosen.tenant)}/clock`) : { now, mode });
  if (Math.abs(nowMs() - before) > 1500) noteClock(`The clock was moved to ${clockText(nowMs())}`);
}

function chooseByAddress() {
  const [tenant, client] = location.hash.slice(1).split("/").map(decodeURIComponent);
  if (tenant) Object.assign(chosen, { tenant, client: client ? Number(client) : null });
}

async function loadAnew() {
  const isFirst = chosen.tenant === null;
  await loadEverything();
  if (isFirst) chosen.client = customers()[0]?.client_id ?? null;
}

setInterval(drawClock, 1000);
setInterval(redraw, 10000);
chooseByAddress();
listen(heard, () => attempt(loadAnew));
