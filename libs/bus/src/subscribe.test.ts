import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { covers } from "./subscribe.ts";

describe("covers", () => {
  it.each([
    ["a.b", "a.b", true],
    ["a.*", "a.b", true],
    ["a.*", "a.b.c", false],
    ["a.>", "a.b.c", true],
    ["a.>", "a", false],
    ["*.b", "a.b", true],
    ["a.b", "a.b.c", false],
    ["a.b.c", "a.b", false],
    [">", "a", true],
  ])("%s and %s: %s", (filter, subject, expected) => {
    expect(covers(filter, subject)).toBe(expected);
  });

  it("covers every subject by itself, by stars in its place, and by its head", () => {
    const tokens = fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(tokens, fc.nat(), (subject, at) => {
        const i = at % subject.length;
        expect(covers(subject.join("."), subject.join("."))).toBe(true);
        expect(covers(subject.with(i, "*").join("."), subject.join("."))).toBe(true);
        expect(covers([...subject.slice(0, i), ">"].join("."), subject.join("."))).toBe(true);
        expect(covers([...subject, ">"].join("."), subject.join("."))).toBe(false);
      }),
    );
  });
});
