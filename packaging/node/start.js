#!/usr/bin/env node
// Starts the program that another package holds for this platform, and ends as it does.
const { spawn } = require("node:child_process");
const { name } = require("./package.json");

let program;
try {
  program = require("./program.js").find();
} catch (error) {
  console.error(error.message);
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
