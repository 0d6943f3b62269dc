// Accounts of a mock for tests: each with its own key, records, clock and faults.
const { spawn } = require("node:child_process");
const { mkdtemp, readFile, rm } = require("node:fs/promises");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

/** A running server. */
class Mock {
  #adminKey;
  #child;

  constructor(baseUrl, adminUrl, adminKey) {
    Object.assign(this, { baseUrl, adminUrl });
    this.#adminKey = adminKey;
  }

  /** The server of `secmon-mock exec`, else one that is started on a free port of this computer. */
  static async start({ args = [], program } = {}) {
    const { SECMON_BASE_URL, SECMON_MOCK_ADMIN_URL, SECMON_MOCK_ADMIN_KEY } = process.env;
    if (SECMON_MOCK_ADMIN_URL) {
      return new Mock(SECMON_BASE_URL ?? SECMON_MOCK_ADMIN_URL, SECMON_MOCK_ADMIN_URL, SECMON_MOCK_ADMIN_KEY);
    }
    const folder = await mkdtemp(join(tmpdir(), "secmon-mock-"));
    try {
      const portFile = join(folder, "port");
      const { child, url } = await started(program ?? process.env.SECMON_MOCK ?? require("./program.js").find(), portFile, args);
      const mock = new Mock(url, url);
      mock.#child = child;
      return mock;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Ends the server, if this object started it. */
  async stop() {
    const child = this.#child;
    this.#child = undefined;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
  }

  /** A fresh account; options are those of `POST /_mock/tenants`, such as `scenario` or `fixtures`. */
  async account(options = {}) {
    const made = await this.admin("POST", "/_mock/tenants", { expires_in: 600, ...options });
    return new Account(this, made);
  }

  /** A call of the admin API: its JSON, or null where the answer has none. */
  async admin(method, path, body) {
    const headers = { "content-type": "application/json" };
    if (this.#adminKey) headers.authorization = `Bearer ${this.#adminKey}`;
    const answer = await fetch(this.adminUrl + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }
}

/** An account of its own for one test: `baseUrl` and `apiKey` are what the program under test needs. */
class Account {
  constructor(mock, made) {
    Object.assign(this, { mock, name: made.name, apiKey: made.api_key, portalDomain: made.portal_domain });
    this.baseUrl = mock.baseUrl;
    const path = `/_mock/tenants/${this.name}/clock`;
    const move = async (body) => (await mock.admin("POST", path, body)).now;
    this.clock = {
      now: async () => (await mock.admin("GET", path)).now,
      advance: (seconds) => move({ advance_seconds: seconds }),
      set: (timestamp) => move({ set: timestamp }),
    };
  }

  /** Makes the next matching call fail; a fault that cannot hit anything is an error. */
  async fault(effect, conditions = {}) {
    const made = await this.mock.admin("POST", "/_mock/faults", { tenant: this.name, effect, ...conditions });
    if (made.warnings) throw new Error(made.warnings.join(" "));
    return made.id;
  }

  /** The calls so far, oldest first. */
  async requests(conditions = {}) {
    const query = new URLSearchParams({ tenant: this.name, ...conditions });
    return (await this.mock.admin("GET", `/_mock/requests?${query}`)).requests;
  }

  /** Waits until so many calls have come, and returns them; an error if they do not. */
  async waitFor({ count = 1, timeout = 10, ...conditions } = {}) {
    const found = await this.requests({ count, wait: timeout, ...conditions });
    if (found.length < count) {
      throw new Error(`${found.length} of ${count} calls came in ${timeout} s: ${JSON.stringify(conditions)}`);
    }
    return found;
  }

  /** What the service tolerated and a careful client would not do: one sentence each. */
  async notices() {
    return (await this.requests()).flatMap((call) => call.notices ?? []).map((notice) => notice.sentence);
  }

  /** Removes the account with all that it has. */
  async remove() {
    await this.mock.admin("DELETE", `/_mock/tenants/${this.name}`);
  }
}

async function started(program, portFile, args) {
  // A variable of the tests, such as SECMON_MOCK_STATE, is not for this server.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SECMON_MOCK_")));
  const child = spawn(program, ["--listen", "127.0.0.1:0", "--port-file", portFile, ...args], {
    env, stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  let failed;
  child.once("error", (error) => (failed = error.message));
  child.once("exit", (code) => (failed ??= said.trim() || `exit code ${code}`));
  process.once("exit", () => child.kill());
  for (const deadline = Date.now() + 30_000; Date.now() < deadline && failed === undefined; ) {
    const port = await readFile(portFile, "utf8").catch(() => "");
    if (port) {
      // What it says later keeps nobody waiting, and the tests may end before it.
      child.stderr.resume().unref?.();
      child.unref();
      return { child, url: `http://127.0.0.1:${port.trim()}` };
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  child.kill();
  throw new Error(`${program} did not start: ${failed ?? said.trim()}`);
}

module.exports = { Account, Mock };
