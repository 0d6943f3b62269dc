// Drives the inspector page in Chromium, as a person does: by mouse, then by the keyboard alone. It runs inside of
// `secmon-mock exec --fixtures mock-server/fixtures.toml`, and SCREENSHOTS names a folder for what was seen.

import assert from "node:assert/strict";
import { ADMIN, ADMIN_KEY, API_KEY, Inspector, admin, eventually, partner, shell } from "./tools.mjs";

const server = (id) => `#shown .record[data-id="${id}"]`;
const provision = async (client, address) => {
  const answer = await partner("POST", "billing/provision", { client_id: client, ip_address: address });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.data.endpoint_id;
};
const tab = (name) => `#tab-${name}`;

async function asksForTheKey(page) {
  const answer = await page.load();
  assert.match(answer.headers()["content-security-policy"], /default-src 'none'/);
  for (const [key, said] of [["not-the-key", "That is not the key"], [ADMIN_KEY, ""]]) {
    await page.page.waitForSelector("#key[open]");
    await page.type("#key input", key);
    await page.key("Enter");
    await page.sees("#key-said", said);
  }
  await page.live();
  await page.load();
  await page.live();
  assert.equal(await page.count("#key[open]"), 0, "the key is kept for the tab");
}

async function looksWellEverywhere(page) {
  await provision(42, "203.0.113.50");
  await page.choose("acme", 42);
  await page.press("#calls .opener");
  await page.press("#shown button[data-do=ports]");
  await page.looksWell("customer");
  await page.choose("acme");
  await page.press(tab("faults"));
  await page.looksWell("account-faults");
  await page.choose("acme", 43);
  await page.press(tab("playbooks"));
  await page.sees("#playbooks", "provision-lifecycle");
  await page.looksWell("paused-playbooks");
  await page.press(tab("journal"));
}

async function showsCapacityLikeTheApi(page) {
  for (const client of [42, 43, 44]) {
    const { meta } = (await partner("GET", `endpoints?billing_customer_id=${client}`)).body;
    await page.choose("acme", client);
    const figure = `${meta.current_endpoint_count} of ${meta.endpoint_limit}`;
    await page.sees('.capacity[data-name="Servers"] .figure', figure);
  }
  await page.choose("acme", 43);
  await page.sees("#shown", "3 paused: over capacity");
  await page.choose("acme", 42);
  await page.sees("#shown", "paused by hand");
}

async function tellsOfEarlierChanges(page) {
  await page.load();
  await page.live();
  await page.choose("acme", 42);
  await page.type("#search [name=path]", "provi");
  await page.press("#calls .opener");
  await page.sees("#calls .changes", "Server 203.0.113.51 changed");
  await page.type("#search [name=path]", "");
}

/** Nothing that arrives moves the focus, the caret, or what is selected. */
async function showsAProvision(page) {
  await page.choose("acme", 42);
  await page.type("#search [name=path]", "provi");
  await page.page.evaluate(() => {
    const name = document.querySelector("#shown h2");
    getSelection().selectAllChildren(name);
    document.querySelector("#search [name=path]").setSelectionRange(1, 3);
  });
  const before = await page.page.evaluate(() => getSelection().toString());
  const id = await provision(42, "203.0.113.51");
  await page.sees(server(id), "203.0.113.51");
  await page.sees("#calls", "/api/v1/billing/provision");
  const after = await page.page.evaluate(() => {
    const { name, selectionStart, selectionEnd } = document.activeElement;
    return { name, selectionStart, selectionEnd, selected: getSelection().toString() };
  });
  assert.deepEqual(after, { name: "path", selectionStart: 1, selectionEnd: 3, selected: before });
  await page.press("#calls .opener");
  await page.sees("#calls .changes", "Server 203.0.113.51 new, scanning");
  await page.type("#search [name=path]", "");
  return id;
}

async function movesTheClock(page, id) {
  const before = (await admin("GET", "tenants/acme/clock")).body.now;
  await page.press("#clock button:nth-of-type(3)");
  await page.sees("#calls", "The clock was moved");
  const after = (await admin("GET", "tenants/acme/clock")).body.now;
  assert(Date.parse(after) - Date.parse(before) >= 86_400_000);
  await page.sees(server(id), "scan completed");
  await eventually("the next scans are those of the day after", async () => {
    await page.press("#clock button:last-of-type");
    const { now } = (await admin("GET", "tenants/acme/clock")).body;
    return Date.parse(now) - Date.parse(after) > 72_000_000;
  });
  const { data, meta } = (await partner("GET", "endpoints")).body;
  const ages = data.map((each) => Date.parse(meta.timestamp) - Date.parse(each.last_scan_at));
  assert(Math.min(...ages) < 10_000, "a scan has just ended");
}

async function opensAndClosesPorts(page, id) {
  await page.press(`${server(id)} [data-do=ports]`);
  await page.type(`${server(id)} input`, "22, 9999/tcp, 53/udp");
  await page.press(`${server(id)} form .main`);
  await page.sees(`${server(id)} .ports`, "9999/tcp");
  await page.sees(`${server(id)} .ports`, "3 open alerts");
  await page.type(`${server(id)} input`, "443, 70000x");
  await page.press(`${server(id)} form .main`);
  await page.sees("#said", "“70000x” is no port");
  await page.type(`${server(id)} input`, "22");
  await page.press(`${server(id)} form button:not(.main)`);
  await page.sees("#said", "The next scan finds these ports.");
  await page.press(`${server(id)} [data-do=scan]`);
  await page.misses(`${server(id)} .ports`, "9999/tcp");
}

async function setsTheScenario(page) {
  await page.press("#accounts button[data-do=choose]");
  await page.press("#shown [data-do=scenario][data-name=critical]");
  await page.sees("#shown [data-do=scenario][aria-pressed=true]", "critical");
  await page.sees("#said", "find the scenario critical");
  await page.press("#accounts button[data-client='42']");
}

async function placesAFault(page) {
  await page.press(tab("faults"));
  await page.type("#fault [name=operation]", "provision_endpoint");
  await page.type("#fault [name=code]", "SCANNING_UNAVAILABLE");
  await page.sees("#will-hit", "The next call of provision_endpoint of any account gets 503 SCANNING_UNAVAILABLE.");
  await page.press("#fault .main");
  await page.sees("#fault-list", "hit 0 of 1");
  const answer = await partner("POST", "provisioning/provision", { client_id: 42, ip_address: "203.0.113.52" });
  assert.equal(answer.body.error.code, "SCANNING_UNAVAILABLE");
  await page.sees("#fault-list", "hit 1 of 1");
  await page.press("#fault-list [data-do=remove-fault]");
  await page.sees("#fault-list", "No faults");
  await page.type("#fault [name=match]", "{");
  await page.sees("#will-hit", "must be a JSON object");
  await page.type("#fault [name=match]", "");
  await page.type("#fault [name=operation]", "");
  await page.page.select("#fault [name=kind]", "tls");
  await page.sees("#will-hit", "The next TLS handshake shows a certificate that has expired.");
  await page.page.select("#fault [name=kind]", "status");
  await page.press(tab("journal"));
  await page.sees("#calls", "fault");
}

async function filters(page) {
  await partner("GET", "endpoints/00000000-0000-4000-8000-000000000000?billing_customer_id=42");
  const cases = [
    ["path", "*/provision", "/billing/provision", "GET"],
    ["status", "404", "404", "200"],
    ["text", "scanning_unavailable", "503", "201"],
  ];
  for (const [field, wanted, shown, hidden] of cases) {
    await page.type(`#search [name=${field}]`, wanted);
    await page.sees("#calls", shown);
    await page.misses("#calls", hidden);
    await page.type(`#search [name=${field}]`, "");
  }
  await page.type("#search [name=text]", "there is no such text");
  await page.sees("#counted", "Nothing fits.");
  await page.type("#search [name=text]", "");
}

/** The copied lines do the call again, whatever its body says to a shell. */
async function copies(page, folder) {
  const reason = "it's $(touch owned) `touch owned` \\ \"; touch owned #";
  const rule = { scope: "global", port_start: 4444, protocol: "tcp", justification: reason };
  await partner("POST", "whitelists?x=a'b", rule);
  await page.type("#search [name=text]", "touch owned");
  await page.sees("#counted", "1 entry");
  await page.press("#calls .opener");
  let entries = 1;
  for (const [form, program] of [["curl", "curl"], ["secmon", process.env.SECMON]]) {
    await page.press(`[data-do=copy-${form}]`);
    await page.sees("#said", `Copied the call as ${form}`);
    const line = await page.clipboard();
    assert(!line.includes(API_KEY));
    if (!program) continue;
    const environment = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, XDG_DATA_HOME: folder };
    const run = `cd ${folder}; secmon() { "$SECMON" "$@"; }; ${line} || true; ls`;
    assert(!(await shell(run, environment)).includes("owned\n"), "a shell obeyed the body");
    await page.sees("#counted", `${++entries} entries`);
  }
  const { requests } = (await admin("GET", `requests?limit=${entries - 1}`)).body;
  for (const { method, body } of requests) assert.deepEqual({ method, body }, { method: "POST", body: rule });
  await withoutClipboard(page);
  await page.type("#search [name=text]", "");
}

async function withoutClipboard(page) {
  await page.page.evaluate(() => (navigator.clipboard.writeText = () => Promise.reject(new Error("no"))));
  await page.press("[data-do=copy-curl]");
  await page.page.waitForSelector("#copy[open]");
  const marked = (field) => field.value.slice(field.selectionStart, field.selectionEnd);
  assert.match(await page.page.$eval("#copy-text", marked), /^curl /);
  await page.press("[data-do=copy-done]");
  await page.page.evaluate(() => delete navigator.clipboard.writeText);
}

async function playsAPlaybook(page) {
  await page.press(tab("playbooks"));
  await page.press("#playbooks [data-do=start][data-name=paging]");
  await page.sees("#playbooks .mark", "running");
  await page.press("#playbooks [data-do=copy-key]");
  await page.sees("#said", "Copied the key");
  const key = await page.clipboard();
  assert(!(await page.page.content()).includes(key), "the key is not in the page");
  await readAllPages(key);
  await page.sees("#playbooks .mark", "passed");
  await page.press("#playbooks [data-do=end-run]");
  await page.misses("#playbooks", "passed");
  await page.misses("#playbooks", "Runs");
  await page.press(tab("journal"));
}

async function readAllPages(key) {
  for (let number = 1, last = 1; number <= last; number++) {
    const path = `endpoints?billing_customer_id=42&per_page=25&page=${number}`;
    const { meta } = (await partner("GET", path, undefined, key)).body;
    last = Math.ceil(meta.total / meta.per_page);
  }
}

/** Names of strangers are text and nothing else. */
async function showsHostileNames(page) {
  const script = '"><script>document.title="owned"</script><img src=x onerror=alert(1)>';
  const turned = "\u202etfel ot thgir";
  const long = "n".repeat(255);
  const names = [script, turned, long];
  const servers = names.map((nickname, index) => ({ address: `198.51.100.${index + 1}`, nickname }));
  const customers = names.map((name, index) => ({ id: 7 + index, name, servers }));
  const made = await admin("POST", "tenants", { name: "hostile", fixtures: { customers } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const body = { client_id: 7, ip_address: `${script}${turned}${"x".repeat(10_000)}` };
  await partner("POST", `billing/provision?${"q".repeat(3000)}`, body, made.body.api_key);
  await page.sees("#accounts", "hostile");
  await page.choose("hostile", undefined);
  await page.sees("#accounts", "<script>");
  await page.choose("hostile", 7);
  await page.sees("#shown", "onerror");
  assert(!(await page.text("body")).includes("\u202e"));
  await page.press("#calls .opener");
  await page.looksWell("hostile");
  assert.equal(await page.page.title(), "secmon-mock");
  await admin("DELETE", "tenants/hostile");
  await page.misses("#accounts", "hostile");
  await page.choose("acme", 42);
}

async function asksBeforeAReset(page) {
  await page.choose("acme");
  await page.press("[data-do=reset]");
  await page.press("[data-do=sure-no]");
  assert.notEqual((await partner("GET", "endpoints?billing_customer_id=42")).body.meta.total, 0);
  await page.press("[data-do=reset]");
  await page.press("[data-do=sure-yes]");
  await page.sees("#said", "acme is at its start");
  assert.equal((await partner("GET", "endpoints?billing_customer_id=42")).body.meta.total, 0);
}

/** The main path once more, without a mouse. */
async function worksByKeyboard(page) {
  const id = await provision(42, "203.0.113.60");
  await page.load();
  await page.live();
  await page.tabTo("#clock button:nth-of-type(3)");
  await page.key("Enter");
  await page.sees("#calls", "The clock was moved");
  await page.tabTo("#accounts [data-do=choose]");
  await page.key("Home", "ArrowDown", "Enter");
  await page.sees(server(id), "scan completed");
  await page.tabTo(`${server(id)} [data-do=ports]`);
  await page.key("Enter");
  await page.tabTo(`${server(id)} input`);
  await page.key("End");
  await page.page.keyboard.type(", 7777");
  await page.tabTo(`${server(id)} form .main`);
  await page.key("Enter");
  await page.sees(`${server(id)} .ports`, "7777/tcp");
  await filtersAndCopiesByKeyboard(page);
  await placesAFaultByKeyboard(page);
  await page.key("ArrowRight");
  await page.sees("#playbooks", "provision-lifecycle");
  await page.tabTo("#playbooks [data-do=start][data-name=paging]");
  await page.key("Enter");
  await page.sees("#playbooks .mark", "running");
}

async function filtersAndCopiesByKeyboard(page) {
  await page.page.evaluate(() => document.activeElement.blur());
  await page.key("/");
  await page.page.keyboard.type("203.0.113.60");
  await page.sees("#counted", "1 entry");
  await page.tabTo("#calls .opener");
  await page.key("Enter");
  await page.tabTo("[data-do=copy-curl]");
  await page.key("Enter");
  await page.sees("#said", "Copied the call as curl");
  assert.match(await page.clipboard(), /203\.0\.113\.60/);
}

async function placesAFaultByKeyboard(page) {
  await page.page.focus(tab("journal"));
  await page.key("ArrowRight");
  await page.tabTo("#fault [name=path]");
  await page.page.keyboard.type("*/health");
  await page.key("Enter");
  await page.sees("#fault-list", "hit 0 of 1");
  assert.equal((await partner("GET", "health")).status, 503);
  await page.sees("#fault-list", "hit 1 of 1");
  await page.page.focus(tab("faults"));
}

async function keepsSecrets(page) {
  const content = await page.page.content();
  for (const secret of [API_KEY, ADMIN_KEY]) assert(!content.includes(secret), "a secret is in the page");
  await eventually("the calls of the page are no calls of the journal", async () => {
    const { requests } = (await admin("GET", "requests")).body;
    return requests.every(({ path }) => path.startsWith("/api/") || path.startsWith("/sso"));
  });
}

async function run(page) {
  const began = Date.now();
  const step = async (name, action) => {
    const result = await action();
    console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${name}`);
    return result;
  };
  await step("asks for the admin key and keeps it", () => asksForTheKey(page));
  await step("looks well in light and dark, at three widths", () => looksWellEverywhere(page));
  await step("shows the capacity that the API tells", () => showsCapacityLikeTheApi(page));
  const id = await step("shows a server as it is provisioned", () => showsAProvision(page));
  await step("tells what a call changed before the page was opened", () => tellsOfEarlierChanges(page));
  await step("moves the clock", () => movesTheClock(page, id));
  await step("opens and closes ports", () => opensAndClosesPorts(page, id));
  await step("sets the scenario", () => setsTheScenario(page));
  await step("places a fault", () => placesAFault(page));
  await step("filters the journal", () => filters(page));
  await step("copies calls for a shell", () => copies(page, page.home));
  await step("plays a playbook", () => playsAPlaybook(page));
  await step("shows hostile names as text", () => showsHostileNames(page));
  await step("keeps secrets", () => keepsSecrets(page));
  await step("asks before a reset", () => asksBeforeAReset(page));
  await step("works by keyboard alone", () => worksByKeyboard(page));
  assert.deepEqual(page.complaints, [], "the console stays empty");
}

const page = await Inspector.open(process.env.CHROMIUM ?? "chromium");
try {
  await run(page);
} catch (error) {
  console.error(error, page.complaints, `the page: ${ADMIN}/_mock/`);
  if (process.env.SCREENSHOTS) await page.screenshot("failure", 1280);
  process.exitCode = 1;
} finally {
  await page.close();
}
