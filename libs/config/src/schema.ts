// Pure: what firm.yaml may say; each default has its reason.
import { Role, Slug } from "@firm/protocol";
import * as z from "zod";

const Employee = z.strictObject({
  name: Slug,
  /** What the role is good at, for its agent. */
  expertise: z.string().default(""),
});
const Service = z.strictObject({
  name: Slug,
  expertise: z.string().default(""),
  employees: z.array(Employee).min(1),
});
const Department = z.strictObject({
  name: Slug,
  expertise: z.string().default(""),
  services: z.array(Service).min(1),
});

/** The pyramid of the seed (firm-orchestration, "Architecture"); the order is the merge order. */
const DEFAULT_DEPARTMENTS = [
  { name: "strategy", services: [{ name: "planning", employees: [{ name: "analyst" }] }] },
  { name: "engineering", services: [{ name: "backend", employees: [{ name: "implementer" }] }] },
  { name: "quality", services: [{ name: "testing", employees: [{ name: "auditor" }] }] },
  { name: "operations", services: [{ name: "release", employees: [{ name: "coordinator" }] }] },
];

const Limits = z.strictObject({
  /** Seed: at most 20 spawns a run; firm.yaml may lower it, not raise it. */
  spawns: z.int().min(1).max(20).default(20),
  /** Seed: 30 seconds. */
  deadline_seconds: z.number().min(0.05).max(86_400).default(30),
  /** Seed: at most 2 re-delegation cycles before escalation. */
  blocker_cycles: z.int().min(0).max(2).default(2),
  /** Requests a role may make of the gateway per second before it is refused; bursts of the same size pass. */
  requests_per_second: z.int().min(1).default(2_000),
});

const Bus = z.strictObject({
  /** JetStream replicas; 1 suits one server, 3 a cluster. */
  replicas: z.literal([1, 3, 5], "must be 1, 3 or 5").default(1),
  /** Days a run's log is kept. */
  runs_max_age_days: z.number().positive().max(36_500, "must be at most 36500 (a century)").default(30),
  /** Bytes a stream may hold before it refuses new messages. */
  max_bytes: z.int().min(1_048_576, "must be at least 1048576 (1 MiB)").default(1_073_741_824),
  /** Seconds without a sign of life before work is delivered again; workers extend it at half. */
  ack_wait_seconds: z.number().min(1).max(60).default(5),
  /** Deliveries before work goes to the dead letter queue. */
  max_deliver: z.int().min(1).max(100).default(5),
});

const Agents = z.strictObject({
  /** Which agent plays a role that is not named below. */
  default: z.string().default("playbook"),
  roles: z.partialRecord(Role, z.string()).default({}),
  /** Programs that play roles as `exec:<name>` (docs/agents.md). */
  programs: z
    .record(
      Slug,
      z.strictObject({
        /** File and arguments; no shell reads them. */
        command: z.array(z.string().min(1)).min(1, "must name a program"),
        /** Variables of the firm's environment that the program may see. */
        env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be names of variables")).default([]),
      }),
    )
    .default({}),
});

const Worker = z.strictObject({
  /** Pieces of work one process does at a time; waiting for other roles does not count. */
  concurrency: z.int().min(1).max(1_000).default(16),
});

/** firm.yaml. */
export const FirmConfig = z.strictObject({
  departments: z
    .array(Department)
    .min(1)
    .default(() => z.array(Department).parse(DEFAULT_DEPARTMENTS)),
  /** Merge order by department name; default: the order above. */
  merge_order: z.array(Slug).optional(),
  limits: Limits.default(() => Limits.parse({})),
  bus: Bus.default(() => Bus.parse({})),
  agents: Agents.default(() => Agents.parse({})),
  worker: Worker.default(() => Worker.parse({})),
});
export type FirmConfig = z.infer<typeof FirmConfig>;
