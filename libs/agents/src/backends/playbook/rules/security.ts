// Pure: dangerous patterns with their CVSS 3.1 base vectors. A vector rates the case that an attacker's input reaches the place;
// whether it does, a person must judge.
import type { Rule } from "./rule.ts";
import { JS_SECURITY } from "./security-js.ts";
import { LANGUAGE_SECURITY } from "./security-languages.ts";

/** Of no language in particular. */
const COMMON: readonly Rule[] = [
  {
    id: "security.pipe-to-shell",
    title: "A download is run unseen",
    languages: ["Shell", "Dockerfile", "YAML"],
    pattern: /\b(?:curl|wget)\b[^\n|#]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b/g,
    vector: "CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:H/I:H/A:H",
    why: "Whoever controls the server or the way runs code here.",
    advice: "Download a pinned version, check its SHA-256, then run it.",
  },
  {
    id: "security.workflow-injection",
    title: "A workflow puts an outsider's text into a script",
    files: /^\.github\/workflows\/[^/]+\.ya?ml$/,
    pattern:
      /\$\{\{\s*github\.(?:event\.(?:issue|pull_request|comment|review|discussion|head_commit)\.[\w.]*(?:title|body|message|ref|label|name|email)|head_ref)\s*\}\}/g,
    within: "any",
    unless: /^\s*(?:[A-Z_]+|if|name|key|group)\s*:/,
    vector: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N",
    why: "A title with shell characters runs commands with the workflow's token.",
    advice: "Hand the value over in `env:` and quote the variable in the script.",
  },
  {
    id: "security.credential",
    title: "A credential stands in the source",
    pattern:
      /\b\w*(?:passwo?r?d|passwd|secret|api_?key|access_?key|auth_?token)["']?\s*[:=]\s*["'](?=[^"'\s]*\d)(?=[^"'\s]*[A-Za-z])[^"'\s$<>{}]{12,200}["']/gi,
    where: "sources",
    unless:
      /example|sample|dummy|placeholder|changeme|change-me|your[-_ ]|xxxx|process\.env|getenv|environ|https?:\/\/|redacted|\bsha\d+-/i,
    vector: "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:L/A:N",
    why: "Whoever can read the repository, now or later, can use it.",
    advice: "Revoke it, take it from the environment or a secret store, and remove it from history.",
  },
];

export const SECURITY_RULES: readonly Rule[] = [...JS_SECURITY, ...LANGUAGE_SECURITY, ...COMMON];
