// Owns reading company.yaml, what the offline C-suite knows; a change counts from the next question on.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseCompany, type Company } from "@firm/agents";
import { FirmError } from "@firm/protocol";
import { parse, YAMLParseError } from "yaml";

/** Its name in the firm's own directory. */
export const COMPANY_FILE = "company.yaml";

/** What is known, and whether there is a file at all. */
export interface KnownCompany {
  readonly company: Company;
  readonly found: boolean;
}

export class CompanyFile {
  readonly #path: string;
  #read: { readonly stamp: string; readonly company: Company } | undefined;

  /** @param stateDir the firm's own directory, absolute */
  constructor(stateDir: string) {
    this.#path = join(stateDir, COMPANY_FILE);
  }

  /** @throws FirmError `invalid-config` naming the field, or why the file cannot be read. */
  async load(): Promise<KnownCompany> {
    try {
      const { mtimeMs, size } = await stat(this.#path);
      const stamp = `${mtimeMs}/${size}`;
      if (this.#read?.stamp !== stamp)
        this.#read = { stamp, company: companyFrom(await readFile(this.#path, "utf8")) };
      return { company: this.#read.company, found: true };
    } catch (cause) {
      if (cause instanceof FirmError) throw cause;
      if (cause instanceof Error && "code" in cause && cause.code === "ENOENT")
        return { company: parseCompany({}), found: false };
      throw new FirmError(
        "invalid-config",
        `${COMPANY_FILE}: cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
        { field: COMPANY_FILE, cause },
      );
    }
  }
}

function companyFrom(text: string): Company {
  let input: unknown;
  try {
    input = parse(text, { maxAliasCount: 50 });
  } catch (cause) {
    if (!(cause instanceof YAMLParseError)) throw cause;
    throw new FirmError("invalid-config", `${COMPANY_FILE} is not YAML: ${cause.message}`, {
      field: COMPANY_FILE,
      cause,
    });
  }
  return parseCompany(input ?? {});
}
