// Owns the image's compile cache: loads what each service loads, without starting any.
import { flushCompileCache } from "node:module";

const MODULES = [
  "@firm/actor",
  "@firm/roles",
  "@firm/agents",
  "@firm/orchestration",
  "@firm/bus",
  "@firm/config",
];
const FILES = ["ceo", "department", "service", "employee", "executive"].map(
  (service) => new URL(`../../services/${service}/src/handlers.ts`, import.meta.url).href,
);
const GATEWAY = [
  "dispatch",
  "intake",
  "invoke",
  "user-ask",
  "board",
  "control",
  "deadlines",
  "dead-work",
].map((name) => new URL(`../../services/gateway/src/${name}.ts`, import.meta.url).href);
const require = (await import("node:module")).createRequire(
  new URL("../../services/ceo/package.json", import.meta.url),
);
for (const name of MODULES) {
  try {
    await import(require.resolve(name));
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  }
}
for (const file of [...FILES, ...GATEWAY]) await import(file);
flushCompileCache();
process.exit();
