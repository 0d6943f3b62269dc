// The recipe for TypeScript: openapi-typescript generates types from the description, and openapi-fetch sends the
// calls.
//
// The commands need this file, `calls.ts`, and `package.json` and `tsconfig.json` from `mock-server/description`, in
// the folder where you run them. Run `npm install` there first.
//
//     secmon-mock openapi > openapi.yaml
//     npx openapi-typescript openapi.yaml -o partner_api.ts
//     npx tsc && secmon-mock exec -- node provision.js
import createClient from "openapi-fetch";
import type { components, paths } from "./partner_api.js";

const { SECMON_BASE_URL, SECMON_API_KEY } = process.env;
const customer = 42;
const unknown = "00000000-0000-0000-0000-000000000007";
const client = createClient<paths>({
  baseUrl: SECMON_BASE_URL,
  headers: { Authorization: `Bearer ${SECMON_API_KEY}` },
});

function expect(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

// Provision three servers, each for its own service in the billing system. The last call repeats the one before it, and
// gets the server that exists already.
const servers: string[] = [];
for (const number of [10, 11, 12, 12]) {
  const { data, error, response } = await client.POST("/api/v1/billing/provision", {
    body: { client_id: customer, ip_address: `203.0.113.${number}`, service_id: 500 + number },
  });
  expect(data !== undefined, error);
  if (response.status === 201) servers.push(data.data.endpoint_id);
  else console.log("provisioned:", data.data.note);
}
expect(servers.length === 3, servers);

// Read one of them.
const { data: detail } = await client.GET("/api/v1/endpoints/{endpoint}/detail", {
  params: { path: { endpoint: servers[0]! }, query: { billing_customer_id: customer } },
});
expect(detail?.data.ip_address === "203.0.113.10", detail);
console.log("read:", detail.data.nickname, detail.data.created_at);

// List all of them, two on each page.
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

// Report the status of a service, as a billing system does every night. On most nights nothing has changed, and
// `enforcement` is an empty list. Otherwise it is a map: for each customer's number, what the change did to that
// customer.
async function sync(status: "active" | "suspended") {
  const { data, error } = await client.POST("/api/v1/billing/sync-services", {
    body: { services: [{ service_id: 510, client_id: customer, product_slug: "endpoint", status }] },
  });
  expect(data !== undefined, error);
  return data.data;
}
const quiet = await sync("active");
const busy = await sync("suspended");
expect(quiet.unchanged === 1 && JSON.stringify(quiet.enforcement) === "[]" && busy.changed === 1, [quiet, busy]);
const reports = busy.enforcement as Record<string, components["schemas"]["CapacityReports"]>;
console.log("synced:", quiet.unchanged, "unchanged;", busy.changed, "changed, usage", reports[customer]?.port_monitoring.usage);

// Provoke an error of each shape: with a code, with the names of the wrong fields, and twice with the HTTP status as a
// number, for servers and for alerts.
const refused = await client.POST("/api/v1/billing/suspend", { body: { endpoint_id: unknown } });
expect(refused.error !== undefined && "error" in refused.error, refused.error);
const code = refused.error.error?.code;
const invalid = await client.POST("/api/v1/billing/provision", { body: { client_id: customer } });
expect(invalid.error !== undefined && "errors" in invalid.error, invalid.error);
const fields = Object.keys(invalid.error.errors ?? {});
const query = { billing_customer_id: customer };
const server = await client.GET("/api/v1/endpoints/{endpoint}", { params: { path: { endpoint: unknown }, query } });
expect(server.error !== undefined && "error" in server.error, server.error);
const alert = await client.GET("/api/v1/alerts/{alert}", { params: { path: { alert: unknown }, query } });
expect(alert.error !== undefined && "error" in alert.error, alert.error);
const codes = [code, ...fields, server.error.error?.code, alert.error.error?.code];
expect(codes.join() === "ENDPOINT_NOT_FOUND,ip_address,404,404", codes);
console.log("refused:", ...codes);

// Send more than the 60 requests that a minute allows. The answer is then 429, and its header `Retry-After` says how
// many seconds to wait.
for (let sent = 0; sent < 61; sent += 1) {
  const { error, response } = await client.POST("/api/v1/billing/suspend", { body: { endpoint_id: servers[1]! } });
  if (error === undefined) continue;
  expect(response.status === 429 && Number(response.headers.get("retry-after")) >= 1, response.status);
  expect("message" in error, error);
  console.log("throttled:", error.message);
  process.exit();
}
expect(false, "it is not throttled");
