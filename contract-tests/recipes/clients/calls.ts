// Right calls, which have to compile, and wrong ones, which must not. `@ts-expect-error` is TypeScript's own check: the
// compiler reports an error if the next line has none. Nothing here is ever run. The first lines of `provision.ts`
// say how to generate the types.
import createClient from "openapi-fetch";
import type { paths } from "./partner_api.js";

const client = createClient<paths>({ baseUrl: "https://portal.acme.example" });
const id = "2f9c1d4e-7a53-4b60-8d21-5e6f7a8b9c0d";

export async function right() {
  await client.POST("/api/v1/billing/provision", {
    params: { header: { "X-Sandbox": "true" } },
    body: { client_id: 42, hostname: "web.shop.example", service_id: null },
  });
  await client.GET("/api/v1/domains/{id}/dark-web-mentions", {
    params: { path: { id }, query: { billing_customer_id: 42, is_new: true } },
  });
  const { data } = await client.POST("/api/v1/whitelists", {
    body: { port_start: 443, protocol: "tcp", justification: "Public web shop", scope: "endpoint", endpoint_id: id },
  });
  // Values in answers are plain strings, so one that the service adds later does no harm.
  const label: string | undefined = data?.data.scope_label;
  return label;
}

export async function wrong() {
  // A path that does not exist: `scan-endpoint` is only under `/api/v1/billing/`.
  // @ts-expect-error
  await client.POST("/api/v1/provisioning/scan-endpoint", { body: { client_id: 42, endpoint_id: id } });
  // A required field, `client_id`, is missing.
  // @ts-expect-error
  await client.POST("/api/v1/billing/provision", { body: { ip_address: "203.0.113.7" } });
  // A number is sent as a string.
  // @ts-expect-error
  await client.POST("/api/v1/billing/provision", { body: { client_id: "42", ip_address: "203.0.113.7" } });
  // The id in the path is missing.
  // @ts-expect-error
  await client.GET("/api/v1/endpoints/{endpoint}/detail", { params: { query: { billing_customer_id: 42 } } });
  // A value that is not allowed: there is no protocol `icmp`.
  // @ts-expect-error
  await client.POST("/api/v1/whitelists", { body: { port_start: 1, protocol: "icmp", justification: "Ten letters", scope: "global" } });
  // A rule without `scope`, so it does not say which servers it is for.
  // @ts-expect-error
  await client.POST("/api/v1/whitelists", { body: { port_start: 1, protocol: "tcp", justification: "Ten letters" } });
  // A boolean is sent as a string.
  // @ts-expect-error
  await client.GET("/api/v1/domains/{id}/dark-web-mentions", { params: { path: { id }, query: { billing_customer_id: 42, is_new: "yes" } } });
  // The required `billing_customer_id` is missing.
  // @ts-expect-error
  await client.GET("/api/v1/alerts", { params: { query: { status: "open" } } });
  // A field is read that the answer does not have.
  const { data } = await client.POST("/api/v1/billing/resume", { body: { endpoint_id: id } });
  // @ts-expect-error
  return data?.data.monitored_domain_id;
}
