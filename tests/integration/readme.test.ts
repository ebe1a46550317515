// The promise: what README.md tells a newcomer to type works, as it stands there, in a fresh clone with a clean HOME.
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseConfig } from "@firm/config";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const readme = await readFile(join(ROOT, "README.md"), "utf8");
const blocksOf = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, code]) => code ?? "",
  );
const [audit, test, withOptions, bus, suite, ...others] = blocksOf("sh");

let clone: string;
let home: string;
beforeAll(async () => {
  clone = join(await mkdtemp(join(tmpdir(), "firm-readme-")), "firm");
  home = await mkdtemp(join(tmpdir(), "firm-home-"));
  // What is tracked now, with what is changed and not committed yet: a clone of HEAD alone would test yesterday's README.
  const copied = spawnSync(
    "bash",
    [
      "-c",
      'git ls-files -z --cached --others --exclude-standard | xargs -0 tar cf - --ignore-failed-read 2>/dev/null | (mkdir -p "$0" && tar xf - -C "$0") && cd "$0" && git init -q && git add -A && git -c user.name=t -c user.email=t@example.org commit -qm t',
      clone,
    ],
    { cwd: ROOT },
  );
  if (copied.status !== 0) throw new Error(`the tree could not be copied: ${String(copied.stderr)}`);
});
afterAll(async () => {
  await rm(dirname(clone), { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
});

function bash(
  script: string,
  extraPath: readonly string[] = [],
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((done) => {
    const path = [
      ...extraPath,
      ...(process.env["PATH"] ?? "").split(delimiter).filter((dir) => !dir.includes("node_modules")),
    ].join(delimiter);
    const keep = ["FIRM_NATS_SERVER", "NODE_EXTRA_CA_CERTS", "npm_config_registry", "SSL_CERT_FILE"];
    const env = {
      PATH: path,
      HOME: home,
      ...Object.fromEntries(
        keep.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
    };
    const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
      cwd: clone,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.once("close", (code) => done({ code, out, err }));
  });
}

describe("README.md", () => {
  it("has the blocks that are tested here, and no others", () => {
    expect(audit).toBe('npm ci && npx firm run "Audit this repository" --workspace .\n');
    expect(test).toBe("npm ci && npm test\n");
    expect(others).toEqual([]);
  });

  it("runs the main job: all four departments in order, findings with file and line, the disclaimer", async () => {
    const { code, out, err } = await bash(audit ?? "");
    expect([0, 3], err).toContain(code);
    const at = ["## Strategy", "## Engineering", "## Quality", "## Operations"].map((heading) =>
      out.indexOf(heading),
    );
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(-1);
    expect(out).toMatch(/`[\w./-]+:\d+`/);
    expect(
      out
        .trimEnd()
        .endsWith("⚠️ Contenu généré par IA — validation humaine requise avant utilisation en production."),
    ).toBe(true);
    const left = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout.split("\n");
    expect(left.filter((line) => line.includes(clone))).toEqual([]);
  });

  it("runs the tests: the line is npm's own, tried here on one kind of test", async () => {
    // The whole of it is what runs this test.
    const { code, out, err } = await bash("npm test -- --project unit libs/policy");
    expect(code, `${out}\n${err}`).toBe(0);
  });

  it("runs with every option it shows", async () => {
    const { code, err } = await bash(withOptions ?? "");
    expect([0, 3], err).toContain(code);
    expect(await readFile(join(clone, "audit.md"), "utf8")).toContain("Audit the authentication module");
  });

  it("lets a bare NATS client use it", async () => {
    // Where the nats command is not installed, a client of the older npm line stands in for its pub, req and micro ls.
    const bin = join(home, "bin");
    const hasNats = spawnSync("nats", ["--version"]).status === 0;
    if (!hasNats) {
      spawnSync("mkdir", ["-p", bin]);
      const command = join(ROOT, "tests/harness/nats-command.ts");
      await writeFile(join(bin, "nats"), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`, {
        mode: 0o755,
      });
    }
    // `firm show` ends with the run's own exit code, which may be that of open items.
    const { out, err } = await bash(
      `set +e; trap 'npx firm down >/dev/null 2>&1' EXIT\n${bus ?? ""}`,
      hasNats ? [] : [bin],
    );
    expect(err).not.toContain("rror");
    expect(out).toContain("humaine requise");
    expect(out.match(/"run":"[0-9A-Z]{26}","status":"accepted"/g)?.length).toBe(2);
    expect(out).toContain("firm-ceo");
    expect(out).toContain("firm-gateway");
  });

  it("lets the C-suite answer and decide", async () => {
    const { code, out, err } = await bash(suite ?? "");
    expect(code, err).toBe(0);
    expect(out).toContain("[RESPONSE:cfo]\nKey finding: Hiring 5 engineers in Q3 shortens runway");
    expect(out).toContain("[CHAIN: cro → cfo → coo]");
    expect(await readFile(join(clone, "minutes.md"), "utf8")).toContain("Status: approved");
  });

  it("shows a firm.yaml that is valid", () => {
    const [yaml] = blocksOf("yaml");
    expect(parseConfig(yaml ?? "").departments.map(({ name }) => name)).toEqual(["engineering", "legal"]);
  });
});
