// What the helper does where a test makes a mistake, and with the options of an account.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Mock } from "secmon-mock";

let mock;
before(async () => (mock = await Mock.start()));
after(() => mock.stop());

test("each account has a key and a time of its own", async () => {
  const [one, other] = [await mock.account(), await mock.account()];
  assert.notEqual(one.apiKey, other.apiKey);
  const now = await one.clock.now();
  await other.clock.advance(86400);
  assert.equal((await one.clock.now()).slice(0, 10), now.slice(0, 10));
  await other.remove();
  await assert.rejects(other.requests(), /404/);
  await one.remove();
});

test("options are those of the admin API", async () => {
  const account = await mock.account({ name: "of-the-test", scenario: "clean" });
  assert.equal(account.portalDomain, "portal.of-the-test.test");
  await account.remove();
  await assert.rejects(mock.account({ scenari: "clean" }), /no field scenari/);
});

test("a fault that cannot hit is an error", async () => {
  const account = await mock.account();
  await assert.rejects(account.fault({ status: 503 }, { operation: "provision_endpont" }), /provision_endpoint/);
});

test("calls that do not come are an error", async () => {
  const account = await mock.account();
  await assert.rejects(account.waitFor({ path: "*/provision", count: 2, timeout: 1 }), /0 of 2 calls/);
});

test("a clock can be set", async () => {
  const account = await mock.account();
  assert.equal(await account.clock.set("2036-01-01T00:00:00+00:00"), "2036-01-01T00:00:00+00:00");
});

test("a careless call is told", async () => {
  const account = await mock.account();
  await fetch(`${account.baseUrl}/api/v1/billing/provision`, {
    method: "POST", headers: { authorization: `Bearer ${account.apiKey}` },
    body: JSON.stringify({ client_id: 42, ip_address: "203.0.113.10", host_name: "web-1" }),
  });
  assert.match((await account.notices()).join("\n"), /did you mean hostname/);
});

test("a server that does not start says why", { skip: process.env.SECMON_MOCK_ADMIN_URL && "a server is there" }, async () => {
  await assert.rejects(Mock.start({ args: ["--nonsense"] }), /did not start.*--nonsense/s);
});
