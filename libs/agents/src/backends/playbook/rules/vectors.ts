// Pure: what several security rules share: CVSS 3.1 base vectors by kind of weakness, the look of SQL, and advice.

/** The beginning of a statement, as part of a pattern. */
export const SQL = String.raw`(?:select\s[^\n]*\sfrom|insert\s+into|update\s+[^\n]*\sset|delete\s+from)\b`;

export const RCE = "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H";
export const INJECTION = "CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H";
export const INTERCEPTION = "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:N";
export const XSS = "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N";
export const WEAK_CRYPTO = "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:L/A:N";
export const PREDICTABLE = "CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N";

export const PARAMETERS =
  "Pass values as bound parameters (placeholders) instead of building the statement as text.";
export const TLS =
  "Leave certificate verification on; for a private authority, add its certificate to the trust store.";
export const ARGUMENTS =
  "Call the program with a list of arguments and no shell (execFile, spawn, subprocess.run([...])), and check the values.";
