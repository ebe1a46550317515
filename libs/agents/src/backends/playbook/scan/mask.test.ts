import fc from "fast-check";
import { expect, test } from "vitest";
import type { Syntax } from "./languages.ts";
import { mask } from "./mask.ts";

/** The text with comments as "c" and strings as "s". */
const shown = (text: string, syntax: Syntax): string =>
  [...mask(text, syntax)].map((kind, i) => (kind === 0 ? text[i] : kind === 1 ? "c" : "s")).join("");

test.each<[Syntax, string, string]>([
  ["js", "a // b", "a cccc"],
  ["js", "a /* b */ d", "a ccccccc d"],
  ["js", "f('x', \"y\")", "f(sss, sss)"],
  ["js", "`a${b}c`;", "ssssbsss;"],
  ["js", "`${`${a}`}`+b", "ssssssassss+b"],
  ["js", "`${{a:1}}`;x", "sss{a:1}ss;x"],
  ["js", "a = /[/\"]/g; 'b'", "a = ssssssg; sss"],
  ["js", "a / b / c", "a / b / c"],
  ["js", "'it\\'s' + b", "sssssss + b"],
  ["python", '"""a\n# b""" # c', "sssssssssss ccc"],
  ["hash", "a$# # c", "a$# ccc"],
  ["c", "fn f<'a>(x: &'a str) 'c'", "fn f<'a>(x: &'a str) sss"],
  ["dash", "select 'a--b' -- c", "select ssssss cccc"],
  ["markup", "<a><!-- b --></a>", "<a>cccccccccc</a>"],
])("%s: %s", (syntax, text, expected) => {
  expect(shown(text, syntax)).toBe(expected);
});

test("any text gets one kind for each unit", () => {
  const syntaxes = fc.constantFrom<Syntax>("js", "c", "python", "hash", "dash", "markup", "none");
  const pieces = fc
    .array(
      fc.constantFrom("`", "${", "}", "{", "/", "*", "'", '"', "\\", "\n", "#", "--", "a", " ", "<!--", "é"),
    )
    .map((all) => all.join(""));
  fc.assert(fc.property(syntaxes, pieces, (syntax, text) => mask(text, syntax).length === text.length));
});

test("what follows a template is code again, however deep", () => {
  const nested = fc.letrec<{ t: string }>((tie) => ({
    t: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("`a`", "`\\``", "``"),
      tie("t").map((inner) => `\`x\${ {k: ${inner}} }y\``),
    ),
  })).t;
  fc.assert(fc.property(nested, (text) => shown(`${text};eval`, "js").endsWith(";eval")));
});
