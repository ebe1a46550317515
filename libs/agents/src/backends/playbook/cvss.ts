// Pure: CVSS 3.1 base score from a vector (FIRST, "Common Vulnerability Scoring System v3.1", section 7.1 and appendix A).
import { FirmError } from "@firm/protocol";
import * as z from "zod";

const Metrics = z.strictObject({
  AV: z.enum(["N", "A", "L", "P"]),
  AC: z.enum(["L", "H"]),
  PR: z.enum(["N", "L", "H"]),
  UI: z.enum(["N", "R"]),
  S: z.enum(["U", "C"]),
  C: z.enum(["H", "L", "N"]),
  I: z.enum(["H", "L", "N"]),
  A: z.enum(["H", "L", "N"]),
});

const AV = { N: 0.85, A: 0.62, L: 0.55, P: 0.2 };
const AC = { L: 0.77, H: 0.44 };
const PR = { U: { N: 0.85, L: 0.62, H: 0.27 }, C: { N: 0.85, L: 0.68, H: 0.5 } };
const UI = { N: 0.85, R: 0.62 };
const IMPACT = { H: 0.56, L: 0.22, N: 0 };

/**
 * The base score, 0.0 to 10.0.
 * @param vector e.g. `CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H`
 * @throws FirmError `invalid-input` where the vector is not one.
 */
export function baseScore(vector: string): number {
  const [version, ...parts] = vector.split("/");
  const parsed = Metrics.safeParse(Object.fromEntries(parts.map((part) => part.split(":"))));
  if (version !== "CVSS:3.1" || parts.length !== 8 || !parsed.success) {
    throw new FirmError("invalid-input", `"${vector}" is not a CVSS 3.1 base vector`, { field: "vector" });
  }
  const m = parsed.data;
  const iss = 1 - (1 - IMPACT[m.C]) * (1 - IMPACT[m.I]) * (1 - IMPACT[m.A]);
  const impact = m.S === "U" ? 6.42 * iss : 7.52 * (iss - 0.029) - 3.25 * (iss - 0.02) ** 15;
  if (impact <= 0) return 0;
  const exploitability = 8.22 * AV[m.AV] * AC[m.AC] * PR[m.S][m.PR] * UI[m.UI];
  return roundUp(Math.min((m.S === "U" ? 1 : 1.08) * (impact + exploitability), 10));
}

/** Appendix A: to one decimal, up, without the errors of binary fractions. */
function roundUp(value: number): number {
  const whole = Math.round(value * 100_000);
  return whole % 10_000 === 0 ? whole / 100_000 : (Math.floor(whole / 10_000) + 1) / 10;
}

/** The qualitative rating of a score (section 5). */
export function ratingOf(score: number): "critical" | "high" | "medium" | "low" | "info" {
  if (score >= 9) return "critical";
  if (score >= 7) return "high";
  if (score >= 4) return "medium";
  return score > 0 ? "low" : "info";
}
