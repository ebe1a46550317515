// Pins the exit codes of `firm`: scripts depend on them.
import { DISCLAIMER, ERROR_CODES, type Deliverable, type RunFinished } from "@firm/protocol";
import { expect, it } from "vitest";
import { EXIT, exitCodeOf, exitCodeOfError } from "../../services/cli/src/exit-codes.ts";

const RUN = "01KDVDNA002R4M97KSPSMVY0R6";
const deliverable = (status: Deliverable["status"]): Deliverable => ({
  run: RUN,
  objective: "Build a payment API",
  format: "markdown_report",
  status,
  body: "",
  summary: "",
  departments: [],
  open_items: [],
  decisions: [],
  assumptions: [],
  suggestions: [],
  findings: [],
  usage: { input_tokens: 0, cached_tokens: 0, output_tokens: 0, usd: 0 },
  disclaimer: DISCLAIMER,
});
const ended = (status: RunFinished["status"], brought?: Deliverable["status"]): RunFinished => ({
  run: RUN,
  at: 0,
  type: "finished",
  status,
  ...(brought !== undefined && { deliverable: deliverable(brought) }),
});

it("the codes", () => {
  expect(EXIT).toEqual({ delivered: 0, failed: 1, usage: 2, openItems: 3, cancelled: 4 });
});

it.each([
  ["delivered", "complete", 0],
  ["delivered", "open_items", 3],
  ["timeout", "open_items", 3],
  ["timeout", undefined, 1],
  ["cancelled", "open_items", 4],
  ["cancelled", undefined, 4],
  ["failed", undefined, 1],
] as const)("a run that ends as %s with a deliverable of %s exits with %i", (status, brought, code) => {
  expect(exitCodeOf(ended(status, brought))).toBe(code);
});

it("an error of the user is 2, any other is 1", () => {
  const usage = Object.keys(ERROR_CODES).filter((code) => exitCodeOfError(code) === EXIT.usage);
  expect(usage).toEqual(["invalid-input", "invalid-config", "too-large"]);
});
