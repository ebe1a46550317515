// Owns the start of a service's process; the compile cache comes first, so that everything after it loads compiled.
import { enableCompileCache } from "node:module";

enableCompileCache();
const [{ runRole }, { serviceHandler }] = await Promise.all([import("@firm/roles"), import("./handlers.ts")]);
await runRole({ name: "service", handler: serviceHandler });
