// Holds the one line that an error is: field and hint named once, no stack.
import { FirmError } from "@firm/protocol";
import { expect, it } from "vitest";
import { errorLine } from "./errors.ts";

it.each([
  [
    new FirmError("invalid-input", "it is empty", { field: "objective", hint: "say it" }),
    "firm: objective: it is empty (say it)",
  ],
  [new FirmError("invalid-input", "objective: empty", { field: "objective" }), "firm: objective: empty"],
  [new Error("one\n  at two"), "firm: one"],
  ["words", "firm: words"],
])("%#", (error, line) => {
  expect(errorLine(error)).toBe(line);
});
