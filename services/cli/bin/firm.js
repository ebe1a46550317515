#!/usr/bin/env node
// Owns the start of `firm` under whatever Node is at hand: plain JavaScript for Node >= 18 that continues with the Node that `npm ci` brought.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The first Node that runs the TypeScript of this project as it is written. */
const NEEDED = [22, 22];
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** The Node of the npm package `node`, in the nearest node_modules above this file. */
function bundledNode() {
  for (let dir = dirname(main); ; dir = dirname(dir)) {
    const candidate = join(dir, "node_modules", "node", "bin", "node");
    if (existsSync(candidate)) return candidate;
    if (dir === dirname(dir)) return undefined;
  }
}

/**
 * Runs main.ts under `node` and becomes its shadow: same arguments, standard streams, signals and exit code.
 * File descriptor 3 is a pipe whose end tells the child that this process is gone, even by SIGKILL.
 */
function continueWith(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, FIRM_LAUNCHER_FD: "3" },
  });
  // A Ctrl-C reaches the child from the terminal as well; it takes two within a moment for one.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
    process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`firm: ${node} does not start: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

if (isNewEnough(process.versions.node)) {
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  await import(main);
} else {
  const node = bundledNode();
  if (node === undefined) {
    console.error(
      `firm: needs Node ${NEEDED.join(".")} or newer and this is ${process.versions.node}; run "npm ci" in ${dirname(dirname(dirname(dirname(main))))} (it brings one along) or install a newer Node`,
    );
    process.exit(1);
  }
  continueWith(node);
}
