// Owns the reading of manifests: what the project is called, needs, offers and can run.
import * as z from "zod";
import type { Repository } from "./files.ts";
import { isTestPath } from "./languages.ts";
import { readManifest, type Manifest } from "./manifest-readers.ts";
import { readText } from "./source.ts";

const NAMES =
  /(?:^|\/)(?:package\.json|pyproject\.toml|requirements[\w-]*\.txt|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|composer\.json)$/;
const MAX_MANIFESTS = 100;

/** All manifests outside tests, the root's first. Those that do not parse come as `unreadable`. */
export async function manifestsOf(
  repository: Repository,
): Promise<{ manifests: Manifest[]; unreadable: { file: string; reason: string }[] }> {
  const manifests: Manifest[] = [];
  const unreadable: { file: string; reason: string }[] = [];
  const paths = repository.files
    .map((file) => file.path)
    .filter((path) => NAMES.test(path) && !isTestPath(path));
  for (const file of paths
    .toSorted((a, b) => a.split("/").length - b.split("/").length)
    .slice(0, MAX_MANIFESTS)) {
    const text = await readText(repository, file);
    if (text === undefined) continue;
    try {
      const manifest = readManifest(file, text);
      if (manifest !== undefined) manifests.push(manifest);
    } catch (error) {
      unreadable.push({ file, reason: reasonOf(error) });
    }
  }
  return { manifests, unreadable };
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error).replaceAll(/\s+/g, " ").slice(0, 200);
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}
