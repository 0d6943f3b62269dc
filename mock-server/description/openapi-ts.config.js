// How hey-api makes a client for Node: modules are named with their ending.
export default {
  input: "openapi.yaml",
  output: { path: "hey_api", module: { extension: ".js" } },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
};
