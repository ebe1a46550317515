// Owns the search for secrets, by secretlint; loaded when first used. A secret itself is never in a finding.
import type { Finding } from "@firm/protocol";
import { extname } from "node:path";
import { finding } from "../findings.ts";
import type { Source } from "./source.ts";

const PRESET = "@secretlint/secretlint-rule-preset-recommend";
const VECTOR_SCORE = 9.1;

/** Checks one file. */
export type SecretScanner = (source: Source) => Promise<Finding[]>;

/** Loads the scanner with its recommended rules. */
export async function secretScanner(): Promise<SecretScanner> {
  const [{ lintSource }, preset] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
  ]);
  const rules = [
    {
      id: PRESET,
      rule: preset.creator,
      options: {},
      rules: [{ id: "@secretlint/secretlint-rule-aws", options: { enableIDScanRule: true } }],
    },
  ];
  return async (source) => {
    const result = await lintSource({
      source: { filePath: source.path, content: source.text, ext: extname(source.path), contentType: "text" },
      options: { config: { rules }, maskSecrets: true, noPhysicFilePath: true },
    });
    return result.messages.map((message) => report(source, message));
  };
}

interface Message {
  readonly messageId: string;
  readonly message: string;
  readonly ruleId: string;
  readonly range: readonly [number, number];
}

function report(source: Source, message: Message): Finding {
  const line = source.lineOf(message.range[0]);
  const kind = message.messageId.replaceAll(/[_-]/g, " ").replaceAll(/([a-z])([A-Z])/g, "$1 $2");
  // The digest in the key is of the rule and the place among the file's own, never of the secret.
  const place = { file: source.path, line, content: `${message.messageId} ${nthOf(source, message)}` };
  const scored = source.test
    ? { severity: "low" as const }
    : { severity: "critical" as const, cvss: VECTOR_SCORE };
  return finding("security.secret", place, {
    title: `A secret is committed: ${kind}`,
    ...scored,
    detail: `Found by ${message.ruleId}; the value is withheld.${source.test ? " In test code, so rated low: check that it is made up." : " Vector: CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N."}`,
    recommendation:
      "Revoke it at its issuer first, then take it from the environment or a secret store, and remove it from history.",
  });
}

/** Tells equal kinds of secrets in one file apart without their content: by the text before them on the line. */
function nthOf(source: Source, message: Message): string {
  const start = source.text.lastIndexOf("\n", message.range[0] - 1) + 1;
  return source.text.slice(start, message.range[0]).slice(-60);
}
