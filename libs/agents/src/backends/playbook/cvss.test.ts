import { expect, test } from "vitest";
import { baseScore, ratingOf } from "./cvss.ts";
import { SECURITY_RULES } from "./rules/security.ts";

// Scores published with FIRST's own examples and with the CVEs named.
test.each([
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1],
  ["CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N", 3.1],
  ["CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N", 6.4],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N", 7.5],
  ["CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.8],
  ["CVSS:3.1/AV:P/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 6.8],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", 0],
  ["CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N", 7.4],
])("%s scores %d", (vector, score) => {
  expect(baseScore(vector)).toBe(score);
});

test.each([
  "",
  "CVSS:2.0/AV:N",
  "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H",
  "CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
])('"%s" is refused', (vector) => {
  expect(() => baseScore(vector)).toThrow(expect.objectContaining({ code: "invalid-input" }));
});

test("ratings follow section 5 of the standard", () => {
  expect([0, 0.1, 3.9, 4, 6.9, 7, 8.9, 9, 10].map(ratingOf)).toEqual([
    "info",
    "low",
    "low",
    "medium",
    "medium",
    "high",
    "high",
    "critical",
    "critical",
  ]);
});

test("every rule's vector is one", () => {
  for (const rule of SECURITY_RULES) expect(baseScore(rule.vector ?? ""), rule.id).toBeGreaterThan(0);
});
