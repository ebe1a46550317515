// Pins the defaults of firm.yaml. A red test here means: make it deliberate, and say so in docs/configuration.md.
import { orgChartOf, parseConfig } from "@firm/config";
import { expect, it } from "vitest";

it("an empty firm.yaml", () => {
  const { departments: _, ...rest } = parseConfig("");
  expect(rest).toEqual({
    limits: { spawns: 20, deadline_seconds: 30, blocker_cycles: 2, requests_per_second: 2_000 },
    bus: {
      replicas: 1,
      runs_max_age_days: 30,
      max_bytes: 1_073_741_824,
      ack_wait_seconds: 5,
      max_deliver: 5,
    },
    agents: { default: "playbook", roles: {}, programs: {} },
    worker: { concurrency: 16 },
  });
});

it("the pyramid of the default org chart, in merge order", () => {
  const chart = orgChartOf(parseConfig(""));
  expect(chart.departments).toEqual([
    "department:strategy",
    "department:engineering",
    "department:quality",
    "department:operations",
  ]);
  expect(chart.departments.map((department) => chart.subtreeOf(department))).toEqual([
    ["department:strategy", "service:planning", "employee:analyst"],
    ["department:engineering", "service:backend", "employee:implementer"],
    ["department:quality", "service:testing", "employee:auditor"],
    ["department:operations", "service:release", "employee:coordinator"],
  ]);
});
