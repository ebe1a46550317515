// Pure: patterns that are no vulnerability but hide or cause failures.
import type { Rule } from "./rule.ts";

const JS = ["JavaScript", "TypeScript", "Vue", "Svelte"];

/** For engineering: the code itself. */
export const CODE_RULES: readonly Rule[] = [
  { id: "code.swallowed-error", title: "An error is swallowed", languages: JS, pattern: /\bcatch\s*(?:\([^)\n]*\)\s*)?\{\s*\}/g, where: "sources", severity: "low", why: "A failure here leaves no trace.", advice: "Handle it, or say in a comment why it may be ignored." },
  { id: "code.swallowed-rejection", title: "A rejection is swallowed", languages: JS, pattern: /\.catch\s*\(\s*\(?\s*\w*\s*\)?\s*=>\s*\{\s*\}\s*\)/g, where: "sources", severity: "low", why: "A failure here leaves no trace.", advice: "Handle it, or say in a comment why it may be ignored." },
  { id: "code.py-swallowed-error", title: "An error is swallowed", languages: ["Python"], pattern: /\bexcept\b[^\n:]*:\s*(?:\n\s*)?pass\b/g, where: "sources", severity: "low", why: "A failure here leaves no trace.", advice: "Catch the narrowest exception and log it." },
  { id: "code.go-ignored-error", title: "An error is assigned to nothing", languages: ["Go"], pattern: /^\s*_\s*(?:,\s*_\s*)?=\s*\w[\w.]*\(/gm, where: "sources", severity: "low", why: "A failure here leaves no trace.", advice: "Return or log the error." },
  { id: "code.type-escape", title: "The type checker is switched off for a line", languages: ["TypeScript"], pattern: /@ts-(?:ignore|nocheck)\b/g, within: "comment", where: "sources", severity: "low", why: "Mistakes behind it stay hidden, also future ones.", advice: "Give the type, or use @ts-expect-error with the reason, which fails once it is no longer needed." },
  { id: "code.any", title: "A value is cast to any", languages: ["TypeScript"], pattern: /\bas\s+any\b|<any>/g, where: "sources", severity: "low", why: "What follows is unchecked.", advice: "Use unknown and narrow it, or a schema at the edge." },
  { id: "code.debugger", title: "A debugger statement is left in", languages: JS, pattern: /^\s*debugger\s*;?\s*$/gm, severity: "medium", why: "It stops the program where developer tools are open.", advice: "Remove it." },
  { id: "code.conflict", title: "A merge conflict is committed", pattern: /^<{7} \S/gm, within: "any", where: "sources", severity: "high", why: "The file holds two versions of the same lines.", advice: "Resolve the conflict." },
];

/** For quality: the tests. */
export const TEST_RULES: readonly Rule[] = [
  { id: "test.only", title: "A test run is narrowed to one case", languages: JS, pattern: /\b(?:describe|it|test)\.only\s*\(/g, where: "tests", severity: "high", why: "All other cases of the file are silently not run.", advice: "Remove .only." },
  { id: "test.skip", title: "A test is switched off", languages: [...JS, "Python", "Go"], pattern: /\b(?:describe|it|test)\.skip\s*\(|\bx(?:it|describe)\s*\(|@(?:pytest\.mark|unittest)\.skip\b|\bt\.Skip(?:Now)?\s*\(/g, where: "tests", severity: "low", why: "What it checked is unchecked.", advice: "Repair or delete it, or write the condition and reason of the skip." },
  { id: "test.sleep", title: "A test waits for time, not for an event", languages: [...JS, "Python", "Go"], pattern: /\bawait\s+(?:sleep|delay)\s*\(\s*\d{3,}|\bsetTimeout\s*\(\s*(?:resolve|r|done)\s*,\s*\d{3,}|\btime\.sleep\s*\(\s*\d/g, where: "tests", severity: "low", why: "Such tests are slow on fast machines and fail on slow ones.", advice: "Wait for the condition with a time limit." },
];
