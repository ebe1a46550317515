// Owns temporary directories and repositories for tests, made with the real git.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { git } from "../workspace/git.ts";

export interface TestFolder {
  readonly path: string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  remove(): Promise<void>;
}

/** A directory with these files. */
export async function testFolder(files: Readonly<Record<string, string>> = {}): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), "firm-agents-"));
  const write = async (all: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, content] of Object.entries(all)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), content);
    }
  };
  await write(files);
  return { path, write, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A repository whose `main` holds these files in one commit. */
export async function testRepo(
  files: Readonly<Record<string, string>> = { "README.md": "# x\n" },
): Promise<TestFolder> {
  const folder = await testFolder(files);
  await git(folder.path, ["init", "--quiet", "--initial-branch=main"]);
  await git(folder.path, ["add", "--all"]);
  await git(folder.path, ["commit", "--quiet", "--message", "First"]);
  return folder;
}
