// Owns the start of a employee's process; the compile cache comes first, so that everything after it loads compiled.
import { enableCompileCache } from "node:module";

enableCompileCache();
const [{ runRole }, { employeeHandler }] = await Promise.all([
  import("@firm/roles"),
  import("./handlers.ts"),
]);
await runRole({ name: "employee", handler: employeeHandler });
