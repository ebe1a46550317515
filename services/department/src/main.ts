// Owns the start of a department's process; the compile cache comes first, so that everything after it loads compiled.
import { enableCompileCache } from "node:module";

enableCompileCache();
const [{ runRole }, { departmentHandler }] = await Promise.all([
  import("@firm/roles"),
  import("./handlers.ts"),
]);
await runRole({ name: "department", handler: departmentHandler });
