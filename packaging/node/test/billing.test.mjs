// The tests of docs/testing-javascript.md, which shows this file.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Mock } from "secmon-mock";

// Stands for your billing module.
class Module {
  constructor({ baseUrl, apiKey }) {
    Object.assign(this, { baseUrl, apiKey });
  }
  async send(method, path, body) {
    const headers = { authorization: `Bearer ${this.apiKey}`, "content-type": "application/json" };
    const answer = await fetch(this.baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, json: await answer.json() };
  }
  provision(address) {
    return this.send("POST", "/api/v1/billing/provision", { client_id: 42, ip_address: address });
  }
  async openPorts(server) {
    const { json } = await this.send("GET", `/api/v1/endpoints/${server}/detail?billing_customer_id=42`);
    return json.latest_scan && json.latest_scan.open_ports;
  }
}

let mock, account, module;
before(async () => (mock = await Mock.start()));
after(() => mock.stop());
beforeEach(async () => {
  account = await mock.account();
  module = new Module(account);
});
afterEach(() => account.remove());

test("an outage hits one order", async () => {
  await account.fault({ status: 503 }, { operation: "provision_endpoint", match: { ip_address: "203.0.113.11" } });
  const statuses = [];
  for (const number of [10, 11, 12]) statuses.push((await module.provision(`203.0.113.${number}`)).status);
  assert.deepEqual(statuses, [201, 503, 201]);
});

test("the first scan takes two seconds", async () => {
  const server = (await module.provision("203.0.113.10")).json.data.endpoint_id;
  assert.equal(await module.openPorts(server), null);
  await account.clock.advance(2);
  assert.deepEqual(await module.openPorts(server), [22, 80, 443, 8080]);
});

test("a worker in the background sends every order", async () => {
  const worker = Promise.all([20, 21, 22, 23, 24].map((number) => module.provision(`203.0.113.${number}`)));
  const calls = await account.waitFor({ method: "POST", path: "*/provision", status: 201, count: 5 });
  assert.equal(calls.length, 5);
  await worker;
});

test("nothing careless was sent", async () => {
  await module.provision("203.0.113.10");
  assert.deepEqual(await account.notices(), []);
});
