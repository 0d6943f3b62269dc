// The recipe for TypeScript, with types generated from the description and openapi-fetch.
//
//     secmon-mock openapi > openapi.yaml
//     npx openapi-typescript openapi.yaml -o partner_api.ts
//     npx tsc && secmon-mock exec -- node provision.js
import createClient from "openapi-fetch";
import type { paths } from "./partner_api.js";

const { SECMON_BASE_URL, SECMON_API_KEY } = process.env;
const customer = 42;
const client = createClient<paths>({
  baseUrl: SECMON_BASE_URL,
  headers: { Authorization: `Bearer ${SECMON_API_KEY}` },
});

function expect(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

// Provision three servers. Sent again, the call finds the server that is there.
const servers: string[] = [];
for (const number of [10, 11, 12, 12]) {
  const { data, error, response } = await client.POST("/api/v1/billing/provision", {
    body: { client_id: customer, ip_address: `203.0.113.${number}` },
  });
  expect(data !== undefined, error);
  if (response.status === 201) servers.push(data.data.endpoint_id);
  if ("note" in data.data) console.log("provisioned:", data.data.note);
}
expect(servers.length === 3, servers);

// Read one of them.
const { data: detail } = await client.GET("/api/v1/endpoints/{endpoint}/detail", {
  params: { path: { endpoint: servers[0]! }, query: { billing_customer_id: customer } },
});
expect(detail?.data.ip_address === "203.0.113.10", detail);
console.log("read:", detail.data.nickname, detail.data.created_at);

// Page through all of them.
const listed: string[] = [];
let page = 1;
for (; ; page += 1) {
  const { data } = await client.GET("/api/v1/endpoints", {
    params: { query: { billing_customer_id: customer, per_page: 2, page } },
  });
  expect(data !== undefined, page);
  listed.push(...data.data.map((server) => server.id));
  if (data.links.next === null) break;
}
expect(listed.join() === servers.join(), listed);
console.log("paged:", listed.length, "servers on", page, "pages");

// Meet an error, and tell it by its code.
const { error } = await client.POST("/api/v1/billing/suspend", {
  body: { endpoint_id: "00000000-0000-0000-0000-000000000007" },
});
expect(error !== undefined && "error" in error && error.error.code === "ENDPOINT_NOT_FOUND", error);
console.log("refused:", error.error.code);
