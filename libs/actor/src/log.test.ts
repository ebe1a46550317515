// Nothing secret reaches a log line.
import { FirmError } from "@firm/protocol";
import { expect, test } from "vitest";
import { createLog } from "./log.ts";

const SEED = `SUA${"B".repeat(55)}`;

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = "";
  write(createLog("department:engineering", "info", { write: (line: string) => void (text += line) }));
  return text;
}

test("every line carries role and pid, and is one JSON object", () => {
  const line = logged((log) =>
    log.child({ run: "r", handoff: "h", attempt: 2, chain: "ceo → x" }).info("done"),
  );
  expect(JSON.parse(line)).toMatchObject({
    level: "info",
    role: "department:engineering",
    pid: process.pid,
    run: "r",
    handoff: "h",
    attempt: 2,
    chain: "ceo → x",
    msg: "done",
  });
});

test.each([
  { token: "secret-1" },
  { order: { token: "secret-1" } },
  { delivery: { headers: { "Firm-Token": "secret-1" } } },
  { "Firm-Token": "secret-1" },
  { options: { nkey: "secret-1" } },
  { seed: "secret-1" },
])("%j is redacted", (fields) => {
  const line = logged((log) => log.info(fields, "x"));
  expect(line).not.toContain("secret-1");
  expect(line).toContain("[redacted]");
});

test("what is logged is not changed", () => {
  const order = { token: "secret-1", run: "r" };
  logged((log) => log.info({ order }, "x"));
  expect(order.token).toBe("secret-1");
});

test("seeds in the text of errors are redacted, causes included", () => {
  const error = new FirmError("invalid-config", `cannot use ${SEED}`, { field: "F", cause: new Error(SEED) });
  const line = logged((log) => log.error({ err: error }, "failed"));
  expect(line).not.toContain(SEED);
  expect(JSON.parse(line)).toMatchObject({
    err: { code: "invalid-config", field: "F", message: "cannot use [redacted]" },
  });
});
