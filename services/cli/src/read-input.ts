// Owns what a command reads from a file that its user names.
import { readFile } from "node:fs/promises";
import { FirmError } from "@firm/protocol";
import { errnoOf } from "./errors.ts";

/** @throws FirmError `invalid-input` where `--file` cannot be read. */
export async function readNamedFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new FirmError("invalid-input", `--file: cannot read ${path} (${errnoOf(cause) ?? "unreadable"})`, {
      field: "--file",
      cause,
    });
  }
}
