// Owns reading an nkey seed file.
import { readFile } from "node:fs/promises";
import { FirmError } from "@firm/protocol";

/** @throws FirmError `invalid-config` where the file cannot be read. */
export async function readSeed(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw new FirmError("invalid-config", `cannot read the credentials in ${path}`, {
      field: "FIRM_NKEY_FILE",
      cause,
    });
  }
}
