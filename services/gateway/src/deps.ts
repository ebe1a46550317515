// What the gateway's verbs share; built once in main.ts.
import type { Bus } from "@firm/bus";
import type { FirmConfig, OrgChart } from "@firm/config";
import type { Log, Tracing } from "@firm/actor";
import type { Cancels } from "./cancels.ts";
import type { Contexts } from "./context.ts";
import type { Journal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { Origins } from "./origins.ts";
import type { RunRecords } from "./records.ts";
import type { Tokens } from "./tokens.ts";

export interface Gateway {
  readonly bus: Bus;
  readonly config: FirmConfig;
  readonly chart: OrgChart;
  readonly ledger: Ledger;
  readonly records: RunRecords;
  readonly origins: Origins;
  readonly contexts: Contexts;
  readonly tokens: Tokens;
  readonly journal: Journal;
  readonly cancels: Cancels;
  /** Roles that can be invoked; anything else is an agent's own word and no metric's label. */
  readonly executives: ReadonlySet<string>;
  readonly metrics: GatewayMetrics;
  readonly tracing: Tracing;
  readonly log: Log;
  /** Epoch ms; the one clock of the process. */
  now(): number;
}
