export { orgChartOf, type OrgChart } from "./org-chart.ts";
export { parseConfig } from "./parse.ts";
export { FirmConfig } from "./schema.ts";
export { permissionsOf, type Permissions } from "./permissions.ts";
export {
  renderAuthorization,
  renderServerConfig,
  type ServerConfigOptions,
  type ServerUser,
} from "./server-config.ts";
