// What the test says and asks: the mock by HTTP, the page through Chromium.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import puppeteer from "puppeteer-core";

const environment = ["SECMON_BASE_URL", "SECMON_API_KEY", "SECMON_MOCK_ADMIN_URL", "SECMON_MOCK_ADMIN_KEY"];
for (const name of environment) assert(process.env[name], `${name} is not set: run this with \`secmon-mock exec\``);
export const [PARTNER, API_KEY, ADMIN, ADMIN_KEY] = environment.map((name) => process.env[name]);

const DEADLINE_MS = 8000;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function http(url, key, method, body) {
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : null };
}

/** A call of the partner API. */
export const partner = (method, path, body, key = API_KEY) => http(`${PARTNER}/api/v1/${path}`, key, method, body);
export const admin = (method, path, body) => http(`${ADMIN}/_mock/${path}`, ADMIN_KEY, method, body);

/** Runs a line as somebody would who pasted it into a shell. */
export async function shell(line, environment) {
  const { stdout } = await promisify(execFile)("bash", ["-c", line], { env: { ...process.env, ...environment } });
  return stdout;
}

export async function eventually(what, condition) {
  const end = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await condition();
    if (found) return found;
    assert(Date.now() < end, `${what}: not within ${DEADLINE_MS} ms`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

/** The page in a browser of its own. */
export class Inspector {
  static async open(chromium) {
    const inspector = new Inspector();
    inspector.home = await mkdtemp(join(tmpdir(), "secmon-mock-page-"));
    const options = { executablePath: chromium, args: ["--no-sandbox"], userDataDir: join(inspector.home, "browser") };
    inspector.browser = await puppeteer.launch({ ...options, headless: true });
    const permissions = ["clipboard-read", "clipboard-sanitized-write"];
    await inspector.browser.defaultBrowserContext().overridePermissions(ADMIN, permissions);
    inspector.page = await inspector.browser.newPage();
    inspector.complaints = [];
    inspector.page.on("pageerror", ({ message }) => inspector.complaints.push(message));
    inspector.page.on("console", (said) => inspector.noteConsole(said));
    return inspector;
  }

  /** Chromium reports every refused key by itself, and the test gives a wrong one. */
  noteConsole(said) {
    if (!/status of 401/.test(said.text())) this.complaints.push(`${said.text()} ${said.location().url ?? ""}`);
  }

  async close() {
    await this.browser.close();
    await rm(this.home, { recursive: true, force: true });
  }

  async load() {
    return this.page.goto(`${ADMIN}/_mock/`);
  }

  async live() {
    await this.sees("#live", "live");
    await this.sees("#accounts", "acme");
  }

  /** Waits until the text of an element has this in it. */
  async sees(selector, text) {
    return eventually(`${selector} shows “${text}”`, async () => (await this.text(selector)).includes(text));
  }

  async misses(selector, text) {
    const isGone = async () => !(await this.text(selector)).includes(text);
    return eventually(`${selector} no longer shows “${text}”`, isGone);
  }

  async text(selector) {
    return this.page.evaluate((each) => document.querySelector(each)?.innerText ?? "", selector);
  }

  async count(selector) {
    return this.page.evaluate((each) => document.querySelectorAll(each).length, selector);
  }

  /** Presses a button as a mouse does, once it stands still: the page may put another in its place meanwhile. */
  async press(selector) {
    await this.page.locator(selector).setTimeout(DEADLINE_MS).click();
  }

  async type(selector, text) {
    const field = await this.page.waitForSelector(selector, { visible: true, timeout: DEADLINE_MS });
    await field.focus();
    await field.evaluate((each) => each.select());
    await this.page.keyboard.press("Backspace");
    await this.page.keyboard.type(text);
  }

  /** Looks at an account, or at a customer of it. */
  async choose(tenant, client) {
    const customer = client === undefined ? ":not([data-client])" : `[data-client="${client}"]`;
    await this.press(`#accounts button[data-tenant="${tenant}"]${customer}`);
  }

  /** Presses Tab until an element has the focus, which must be seen. */
  async tabTo(selector) {
    for (let pressed = 0; pressed < 120; pressed++) {
      await this.page.keyboard.press("Tab");
      const found = await this.page.evaluate((each) => {
        const focused = document.activeElement;
        return focused.matches(each) && { outline: getComputedStyle(focused).outlineStyle };
      }, selector);
      if (found) return assert.notEqual(found.outline, "none", `${selector}: the focus is not seen`);
    }
    assert.fail(`Tab does not reach ${selector}`);
  }

  async key(...names) {
    for (const name of names) await this.page.keyboard.press(name);
  }

  async clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** At three widths, light and dark: nothing is wider than the window, and axe finds nothing. */
  async looksWell(name) {
    for (const scheme of ["light", "dark"]) {
      await this.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      for (const width of [1280, 800, 400]) {
        await this.page.setViewport({ width, height: 700 });
        await this.nothingSticksOut(`${name} at ${width}`);
        await this.screenshot(`${name}-${scheme}-${width}`, width);
      }
      await this.page.setViewport({ width: 1280, height: 700 });
      assert.deepEqual(await this.violations(), [], `${name}, ${scheme}`);
    }
  }

  async nothingSticksOut(name) {
    const wide = await this.page.evaluate(() => {
      const room = document.documentElement.clientWidth;
      const isWide = (element) => element.getBoundingClientRect().right > room + 1;
      return [...document.querySelectorAll("body *")].filter(isWide).map((element) => element.outerHTML.slice(0, 200));
    });
    assert.deepEqual(wide, [], `${name}: too wide`);
    const beyond = () => document.documentElement.scrollHeight - innerHeight;
    const isWide = this.page.viewport().width >= 1100;
    assert(!isWide || (await this.page.evaluate(beyond)) === 0, `${name}: the columns scroll, and the page does not`);
  }

  async violations() {
    await this.page.evaluate(`${axe};0`);
    return this.page.evaluate(async () => {
      const { violations } = await axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`);
    });
  }

  async screenshot(name, width) {
    const folder = process.env.SCREENSHOTS;
    if (folder) await this.page.screenshot({ path: join(folder, `${name}.png`), fullPage: width < 1100 });
  }
}
