// Owns what the handler of a role is made from: the role, its place in the org chart, its agent.
import type { WorkerMetrics } from "@firm/actor";
import type { Agent } from "@firm/agents";
import type { FirmConfig, OrgChart } from "@firm/config";
import type { Role } from "@firm/protocol";

export interface RoleContext {
  readonly role: Role;
  readonly chart: OrgChart;
  readonly config: FirmConfig;
  readonly agent: Agent;
  readonly metrics: WorkerMetrics;
  /** The firm's own directory, absolute. */
  readonly stateDir: string;
}
