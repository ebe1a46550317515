// Pure: dangerous patterns of JavaScript and TypeScript.
import type { Rule } from "./rule.ts";
import {
  ARGUMENTS,
  INJECTION,
  INTERCEPTION,
  PARAMETERS,
  PREDICTABLE,
  RCE,
  SQL,
  TLS,
  WEAK_CRYPTO,
  XSS,
} from "./vectors.ts";

const JS = ["JavaScript", "TypeScript", "Vue", "Svelte"];

export const JS_SECURITY: readonly Rule[] = [
  {
    id: "security.eval",
    title: "Code is built from text at run time",
    languages: JS,
    pattern: /(?<![.\w$])(?:eval\s*\(|new\s+Function\s*\()/g,
    vector: RCE,
    why: "Whoever controls the text runs code in this process.",
    advice:
      "Replace by JSON.parse, a lookup table or a parser; if it must stay, keep every outside value out of the text.",
  },
  {
    id: "security.shell",
    title: "A shell command is built from values",
    languages: JS,
    pattern:
      /(?<![.\w$])(?:exec|execSync|child_process\.exec|child_process\.execSync|cp\.exec|cp\.execSync)\s*\(\s*(?:`[^`\n]*\$\{|(?:"[^"\n]*"|'[^'\n]*'|[\w$.]+)\s*\+)/g,
    vector: RCE,
    why: "A value with shell characters runs further commands.",
    advice: ARGUMENTS,
  },
  {
    id: "security.shell-option",
    title: "A child process is started through a shell",
    languages: JS,
    pattern: /\bshell\s*:\s*true\b/g,
    vector: "CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:H/I:H/A:H",
    why: "Arguments are read by the shell, quoting and all.",
    advice: ARGUMENTS,
  },
  {
    id: "security.sql",
    title: "An SQL statement is built from values",
    languages: JS,
    pattern: new RegExp(
      String.raw`\b(?:query|execute|raw|all|get|run|prepare|exec|unsafe)\s*\(\s*(?:\x60\s*${SQL}[^\x60]{0,400}\$\{|["']\s*${SQL}[^"'\n]*["']\s*\+)`,
      "gi",
    ),
    vector: INJECTION,
    why: "A value with quotes changes the statement.",
    advice: PARAMETERS,
  },
  {
    id: "security.tls",
    title: "TLS certificates are not verified",
    languages: JS,
    pattern: /\brejectUnauthorized["']?\s*:\s*false\b|NODE_TLS_REJECT_UNAUTHORIZED["'\]]*\s*[=:]\s*["']?0/g,
    vector: INTERCEPTION,
    why: "Anyone on the path can read and change the traffic.",
    advice: TLS,
  },
  {
    id: "security.html",
    title: "HTML is written from values",
    languages: JS,
    pattern:
      /\.(?:innerHTML|outerHTML)\s*\+?=(?!=)(?!\s*(?:""|''|``|"[^"\n]*"\s*;|'[^'\n]*'\s*;))|\bdangerouslySetInnerHTML\b|\bdocument\.write(?:ln)?\s*\(/g,
    vector: XSS,
    why: "Markup in a value becomes part of the page.",
    advice: "Set textContent, or sanitise the value with a kept sanitiser first.",
  },
  {
    id: "security.random",
    title: "A secret is drawn from a predictable generator",
    languages: JS,
    pattern:
      /\b\w*(?:token|secret|password|nonce|salt|session_?id|api_?key)\w*\s*[:=][^;\n]{0,80}\bMath\.random\s*\(/gi,
    vector: PREDICTABLE,
    why: "Math.random can be predicted from earlier values.",
    advice: "Use crypto.randomBytes, crypto.randomUUID or crypto.getRandomValues.",
  },
  {
    id: "security.hash",
    title: "A broken hash function is used",
    languages: JS,
    pattern: /\bcreateHash\s*\(\s*["'](?:md5|sha1|md4)["']/gi,
    vector: WEAK_CRYPTO,
    why: "Collisions can be made at will; harmless only where nothing depends on it being hard.",
    advice: "Use sha256, or scrypt or argon2 for passwords.",
  },
  {
    id: "security.cipher",
    title: "A broken cipher mode is used",
    languages: JS,
    pattern: /\bcreate(?:Cipher|Decipher)\s*\(|\bcreateCipheriv\s*\(\s*["'](?:des|rc4|aes-\d+-ecb)/gi,
    vector: PREDICTABLE,
    why: "The key derivation or mode leaks what it hides.",
    advice: "Use aes-256-gcm with a random nonce for each message.",
  },
  {
    id: "security.jwt",
    title: "A token's signature or expiry is not checked",
    languages: JS,
    pattern: /\balgorithms?["']?\s*:\s*\[?\s*["']none["']|\bignoreExpiration\s*:\s*true\b/g,
    vector: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N",
    why: "Forged or expired tokens pass.",
    advice: "Name the accepted algorithms and leave the expiry check on.",
  },
];
