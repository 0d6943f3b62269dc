#!/usr/bin/env node
// Starts the program that another package holds for this platform, and ends as it does.
const { spawn } = require("node:child_process");
const { name } = require("./package.json");

const holder = `@secmon/${name}-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? `${name}.exe` : name;

let program;
try {
  program = require.resolve(`${holder}/${file}`);
} catch {
  console.error(`${name}: there is no program for ${process.platform} on ${process.arch} here: npm installs ${holder} ` +
    "unless optional dependencies are left out, and there may be none for this platform");
  process.exit(127);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to both; what only this process gets, the program gets too.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`${name}: ${program} cannot be started: ${error.message}`);
  process.exit(126);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
