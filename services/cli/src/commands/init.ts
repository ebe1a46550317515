// Owns `firm init`: the files that a person edits, written once.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Command } from "commander";
import { FirmError } from "@firm/protocol";
import { errnoOf } from "../errors.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { FirmPaths } from "../paths.ts";
import { contextOf, exiting, print } from "./context.ts";

const FIRM_YAML = `# Firm's configuration; every field has a default, docs/configuration.md lists them. Remove a # to change one.
# limits:
#   deadline_seconds: 30
#   spawns: 20
# agents:
#   default: playbook
#   roles: { "employee:implementer": playbook }
# departments:
#   - name: engineering
#     services: [{ name: backend, employees: [{ name: implementer }] }]
`;

export function addInit(program: Command): void {
  program
    .command("init")
    .description(
      "write .firm/company.yaml, the figures that the C-suite answers from, and a firm.yaml to edit",
    )
    .option("--force", "overwrite what is there")
    .addHelpText(
      "after",
      '\nExamples:\n  $ firm init\n  $ firm init && firm ask cfo "How long is our runway?"',
    )
    .action(
      exiting(async (options: { force?: boolean }, command: Command) =>
        init(contextOf(command).paths, options.force === true),
      ),
    );
}

async function init(paths: FirmPaths, force: boolean): Promise<ExitCode> {
  const { SAMPLE_COMPANY_YAML } = await import("@firm/agents");
  await writeOnce(join(paths.state, "company.yaml"), SAMPLE_COMPANY_YAML, force, paths.home);
  await writeOnce(join(paths.home, "firm.yaml"), FIRM_YAML, force, paths.home);
  return EXIT.delivered;
}

/** @throws FirmError `invalid-input` where the file cannot be written. */
async function writeOnce(path: string, text: string, force: boolean, home: string): Promise<void> {
  const name = relative(home, path);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, text, { flag: force ? "w" : "wx" });
    print(`wrote ${name}`);
  } catch (cause) {
    if (errnoOf(cause) === "EEXIST")
      return print(`kept ${name}, which is there already (--force overwrites it)`);
    throw new FirmError("invalid-input", `cannot write ${path} (${errnoOf(cause) ?? "unwritable"})`, {
      field: "--dir",
      cause,
    });
  }
}
