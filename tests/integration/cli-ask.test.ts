// The promise: `firm ask`, `firm board` and `firm init` work with no model at all, their numbers are right, and a board outlives every process.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DISCLAIMER } from "@firm/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { cliHome, type CliHome } from "../harness/cli.ts";

let home: CliHome;
beforeEach(async () => {
  home = await cliHome("agents: {default: playbook}\n");
});
afterEach(() => home.remove());

/** The part of the sample company that the hiring question is calculated from. */
const Figures = z.object({
  finance: z.object({ cash: z.number(), monthly_burn: z.number(), gross_margin_pct: z.number() }),
  pipeline: z.object({ weighted_90d: z.number() }),
  operations: z.object({ loaded_cost_monthly: z.object({ engineering: z.number() }) }),
});
const figures = async () =>
  Figures.parse(parse(await readFile(join(home.dir, ".firm/company.yaml"), "utf8")));
const thousands = (amount: number): string => `$${Math.round(amount / 1_000)}K`;

describe("firm init", () => {
  it("writes the company's figures once, and again only where it is told to", async () => {
    await home.run(["init"]);
    const file = join(home.dir, ".firm/company.yaml");
    await writeFile(file, "name: Mine\n");
    const kept = await home.run(["init"]);
    expect([kept.code, kept.stdout]).toEqual([0, expect.stringContaining("kept .firm/company.yaml")]);
    expect(await readFile(file, "utf8")).toBe("name: Mine\n");
    await home.run(["init", "--force"]);
    expect(await readFile(file, "utf8")).toContain("monthly_burn");
  });
});

describe("firm ask", () => {
  it("passes from the CRO to the CFO to the COO, and each number is right", async () => {
    await home.run(["init"]);
    const { code, stdout, stderr } = await home.run([
      "ask",
      "cro",
      "What does our pipeline mean for hiring 5 engineers in Q3?",
    ]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/→ cro: .*cro → cfo: .*cro → cfo → coo: .*coo answered/s),
    ]);
    const { finance, pipeline, operations } = await figures();
    const cost = 5 * operations.loaded_cost_monthly.engineering;
    const arr = (12 * cost) / (finance.gross_margin_pct / 100);
    expect(stdout.startsWith("[RESPONSE:cro]\n")).toBe(true);
    expect(stdout).toContain(
      `${thousands(finance.monthly_burn)} → increases to ${thousands(finance.monthly_burn + cost)}`,
    );
    expect(stdout).toContain(`covers ${Math.round((100 * pipeline.weighted_90d) / arr)}%`);
    expect(stdout).toContain(`from ${(finance.cash / finance.monthly_burn).toFixed(1)} to`);
    await home.empty();
  });

  it("says what is missing where there are no figures, and shows the chain whole", async () => {
    const { code, stdout } = await home.run(["ask", "cfo", "How long is our runway?", "--chain", "-q"]);
    expect([code, stdout.split("\n").slice(0, 2)]).toEqual([
      0,
      ["[CHAIN: cfo]", "[INVOKE:cfo|How long is our runway?]"],
    ]);
    expect(stdout).toContain("finance.cash");
    expect(stdout).toContain("firm init");
  });

  it("streams JSON lines, the last with the answer", async () => {
    await home.run(["init"]);
    const { code, stdout } = await home.run(["ask", "cfo", "How long is our runway?", "--json"]);
    const last = z
      .object({ role: z.literal("cfo"), answer: z.string() })
      .parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
    expect([code, last.answer]).toEqual([0, expect.stringContaining("[RESPONSE:cfo]")]);
  });

  it("refuses what cannot be asked before anything starts, naming what to do", async () => {
    const cases: [string[], string][] = [
      [["ask", "janitor", "Why?"], "ask one of ceo, cfo"],
      [["ask", "cfo"], "question must not be empty"],
      [["ask", "cfo", "Why?", "--deadline", "soon"], "--deadline"],
      [["ask", "cfo", "--file", "nowhere.txt"], "--file: cannot read"],
      [["board", "Why?", "--roles", "cfo,janitor"], "--roles"],
      [["decide", "X", "dither"], "approve, modify, reject, ask, resume"],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await home.run(args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(await readdir(home.dir)).not.toContain(".firm");
  });

  it("is cancelled by Ctrl-C, and leaves no process", async () => {
    await writeFile(join(home.dir, "firm.yaml"), "agents: {default: scripted}\n");
    await home.script({ cfo: [{ do: "hang" }] });
    const asking = home.start(["ask", "cfo", "Are you there?", "--json"]);
    await asking.event((event) => event.type === "invocations");
    asking.interrupt();
    expect((await asking.ended).code).toBe(4);
    await home.empty();
  });
});

describe("firm board", () => {
  const Line = z.object({ seq: z.int(), event: z.object({ type: z.string(), run: z.string() }).loose() });

  it("leaves its draft to the founder, outlives the firm, and files one set of minutes", async () => {
    await home.run(["init"]);
    const held = await home.run(["board", "Should we expand to Germany in Q3?", "--roles", "cfo,cro,coo"]);
    expect([held.code, held.stderr]).toEqual([3, expect.stringContaining("awaits your decision")]);
    expect(held.stdout).toContain("Status: draft, awaiting the founder's decision");
    await home.empty();

    const run = /Run: (\S+)/.exec(held.stdout)?.[1] ?? "";
    const runs = await home.run(["runs"]);
    expect(runs.stdout).toContain("awaiting-decision");
    for (const command of ["show", "watch"]) {
      const { code, stdout } = await home.run([command]);
      expect([code, stdout]).toEqual([3, held.stdout]);
    }
    const question = await home.run(["decide", run, "ask", "cfo: How long is our runway?"]);
    expect([question.code, question.stdout]).toEqual([3, expect.stringContaining("[RESPONSE:cfo]")]);
    const wordless = await home.run(["decide", run, "modify"]);
    expect([wordless.code, wordless.stderr]).toEqual([2, expect.stringContaining("needs a text")]);
    const decided = await home.run(["decide", run, "modify", "Austria first, in Q4", "-q"]);
    expect(decided.code).toBe(0);
    for (const part of [
      "## Agenda",
      "## Positions",
      "## Conflicts",
      "## Action items",
      "## Assumptions",
      "Austria first, in Q4",
    ])
      expect(decided.stdout).toContain(part);
    expect(decided.stdout.trimEnd().endsWith(DISCLAIMER)).toBe(true);
    const again = await home.run(["decide", run, "approve"]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("has ended already")]);
    const files = await readdir(join(home.dir, ".firm/board"));
    expect(files.toSorted()).toEqual([expect.stringContaining(run), "decisions.md"]);
    await home.empty();
  });

  it("takes its decision at once where it is told to, and streams its phases", async () => {
    await home.run(["init"]);
    const { code, stdout } = await home.run([
      "board",
      "Should we raise prices by 10%?",
      "--approve",
      "--json",
    ]);
    expect(code).toBe(0);
    const types = stdout
      .trim()
      .split("\n")
      .map((line) => Line.parse(JSON.parse(line)).event.type);
    expect(types).toEqual(expect.arrayContaining(["accepted", "board", "control", "finished"]));
    const shown = await home.run(["show"]);
    expect([shown.code, shown.stdout]).toEqual([3, expect.stringContaining("Status: approved on")]);
  });
});
