export { orgChartOf, type OrgChart } from "./org-chart.ts";
export { parseConfig } from "./parse.ts";
export { FirmConfig } from "./schema.ts";
