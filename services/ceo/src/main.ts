// Owns the start of a ceo's process; the compile cache comes first, so that everything after it loads compiled.
import { enableCompileCache } from "node:module";

enableCompileCache();
const [{ executiveAsk, runRole }, { ceoHandler }] = await Promise.all([
  import("@firm/roles"),
  import("./handlers.ts"),
]);
await runRole({ name: "ceo", handler: ceoHandler, ask: executiveAsk });
