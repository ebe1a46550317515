// Holds the pure parts of the commands: export lines, sessions of a log, naming a run.
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pickRun } from "../client/runs.ts";
import { exportLines } from "./env.ts";

describe("firm env", () => {
  it("unsets what the server does not ask for", () => {
    expect(exportLines({ NATS_URL: "nats://127.0.0.1:1", NATS_NKEY: undefined })).toBe(
      "export NATS_URL='nats://127.0.0.1:1'\nunset NATS_NKEY",
    );
  });

  it("survives a shell's eval, whatever the path", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (value) => {
        const out = execFileSync("/bin/sh", [
          "-c",
          `eval "$1"; printf %s "$X"`,
          "sh",
          exportLines({ X: value }),
        ]);
        expect(out.toString()).toBe(value);
      }),
      { numRuns: 20 },
    );
  });
});

describe("naming a run", () => {
  const runs = ["01KDVDNA002R4M97KSPSMVY0R6", "01KDVDNA002R4M97KSPSMVY0XX", "01KDZZZZ002R4M97KSPSMVY0YY"];

  it.each([
    [undefined, runs[2]],
    ["01kdz", runs[2]],
    ["0XX", runs[1]],
  ])("%s", (named, run) => {
    expect(pickRun(runs, named)).toBe(run);
  });

  it("refuses what names none or several", () => {
    expect(() => pickRun(runs, "01KDVD")).toThrow("names 2 runs");
    expect(() => pickRun(runs, "NOPE")).toThrow('there is no run "NOPE"');
    expect(() => pickRun([], undefined)).toThrow("there has been no run yet");
  });
});
