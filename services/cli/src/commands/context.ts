// Owns what all commands share: global options, a reached firm that is left again, output.
import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import type { Deliverable } from "@firm/protocol";
import type { ExitCode } from "../exit-codes.ts";
import type { Firm } from "../client/firm.ts";
import { firmPaths, type GlobalOptions } from "../home.ts";
import type { FirmPaths } from "../paths.ts";

export interface Context {
  readonly global: GlobalOptions;
  readonly paths: FirmPaths;
}

/** The options that stand before the command. */
export function contextOf(command: Command): Context {
  const global: GlobalOptions = command.optsWithGlobals();
  return { global, paths: firmPaths(global) };
}

/** Makes a commander action of a function that says the exit code. */
export function exiting<A extends unknown[]>(
  action: (...args: A) => Promise<ExitCode | 130>,
): (...args: A) => Promise<void> {
  return async (...args) => {
    process.exitCode = await action(...args);
  };
}

/** Says a line to the person at the terminal. */
export function say(line: string): void {
  process.stderr.write(`firm: ${line}\n`);
}

/** Prints a line for people and programs. */
export function print(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

/** Reads from the firm: the one that runs here, or its store alone. */
export async function withStore<T>(context: Context, read: (firm: Firm) => Promise<T>): Promise<T> {
  const { reachFirm } = await import("../client/firm.ts");
  const firm = await reachFirm({ ...context, need: "store", say });
  try {
    return await read(firm);
  } finally {
    await firm.close();
  }
}

/** Hands the deliverable over: into a file, or to stdout. */
export async function deliver(deliverable: Deliverable, file: string | undefined): Promise<void> {
  const body = deliverable.body.endsWith("\n") ? deliverable.body : `${deliverable.body}\n`;
  if (file === undefined) {
    process.stdout.write(body);
    return;
  }
  await writeFile(file, body);
  say(`the deliverable is in ${file}`);
}
