// Owns the start of an executive's process; the compile cache comes first, so that everything after it loads compiled.
import { enableCompileCache } from "node:module";

enableCompileCache();
const [{ runRole }, { executiveAsk, executiveHandler }] = await Promise.all([
  import("@firm/roles"),
  import("./handlers.ts"),
]);
await runRole({ name: "executive", handler: executiveHandler, ask: executiveAsk });
