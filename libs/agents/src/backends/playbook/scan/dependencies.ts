// Pure: what is risky in the way dependencies are named.
import type { Finding } from "@firm/protocol";
import { finding } from "../findings.ts";
import type { Dependency, Manifest } from "./manifest-readers.ts";

/** Packages whose authors themselves declared them ended, with what they name instead. */
const ENDED: Readonly<Record<string, string>> = {
  request: "fetch, undici or got",
  "request-promise": "fetch, undici or got",
  tslint: "typescript-eslint, biome or oxlint",
  "node-sass": "sass",
  "node-uuid": "uuid, or crypto.randomUUID",
  istanbul: "nyc or c8",
  "babel-eslint": "@babel/eslint-parser",
  bower: "npm",
  moment: "Temporal, luxon or date-fns (moment is in maintenance only)",
  "left-pad": "String.prototype.padStart",
  querystring: "URLSearchParams",
  vm2: "isolated-vm, or a separate process",
  nose: "pytest",
  pycrypto: "cryptography or pycryptodome",
  sklearn: "scikit-learn",
};

/** @param own names of the project's own packages, which any range may name */
export function dependencyFindings(manifests: readonly Manifest[], own: ReadonlySet<string>): Finding[] {
  return manifests.flatMap((manifest) =>
    manifest.dependencies.flatMap((dependency) =>
      own.has(dependency.name) ? [] : check(manifest, dependency),
    ),
  );
}

/** One dependency in different ranges over the project's manifests. */
export function divergingRanges(manifests: readonly Manifest[], own: ReadonlySet<string>): Finding[] {
  const uses = new Map<string, { manifest: Manifest; dependency: Dependency }[]>();
  for (const manifest of manifests) {
    for (const dependency of manifest.dependencies) {
      if (own.has(dependency.name) || dependency.range === "") continue;
      const key = `${manifest.ecosystem} ${dependency.name}`;
      uses.set(key, [...(uses.get(key) ?? []), { manifest, dependency }]);
    }
  }
  return [...uses.values()].flatMap((all) => {
    const ranges = [...new Set(all.map(({ dependency }) => dependency.range))];
    const other = all.find(({ dependency }) => dependency.range !== all[0]?.dependency.range);
    if (ranges.length < 2 || other === undefined) return [];
    const { name, line } = other.dependency;
    return [
      finding(
        "dependency.diverging",
        { file: other.manifest.file, line, content: name },
        {
          title: `${name} is asked for in ${ranges.length} ranges: ${ranges.slice(0, 5).join(", ")}`,
          severity: "low",
          detail: all
            .map(({ manifest, dependency }) => `${manifest.file}: ${dependency.range}`)
            .join("; ")
            .slice(0, 2_000),
          recommendation: "Agree on one range, so that one copy is installed and tested.",
        },
      ),
    ];
  });
}

function check(manifest: Manifest, dependency: Dependency): Finding[] {
  const { name, range, development, line } = dependency;
  const place = { file: manifest.file, line, content: name };
  const found: Finding[] = [];
  if (isOpen(manifest, range)) {
    found.push(
      finding("dependency.open", place, {
        title: `${name} takes any version ("${range}")`,
        severity: development ? "low" : "medium",
        detail: "The next install may bring a breaking or a hostile version.",
        recommendation: `Name the version that is in use, e.g. ${manifest.ecosystem === "python" ? `${name}==1.2.3` : '"^1.2.3"'}, and commit a lock file.`,
      }),
    );
  } else if (/^(?:git[+:]|https?:|github:|[\w-]+\/[\w.-]+(?:#|$))/.test(range)) {
    const pinned = /#[0-9a-f]{7,40}$|#v?\d+\.\d+/.test(range);
    found.push(
      finding("dependency.remote", place, {
        title: `${name} comes from outside the registry`,
        severity: pinned ? "low" : "medium",
        detail: pinned
          ? "It is pinned, but no registry keeps it."
          : "Its content can change or vanish without a new version.",
        recommendation: "Use a released version from the registry, or pin the commit.",
      }),
    );
  }
  const instead = ENDED[name];
  if (instead !== undefined) {
    found.push(
      finding("dependency.ended", place, {
        title: `${name} is no longer maintained`,
        severity: development ? "low" : "medium",
        detail: "It gets no security fixes any more.",
        recommendation: `Replace it by ${instead}.`,
      }),
    );
  }
  return found;
}

function isOpen(manifest: Manifest, range: string): boolean {
  if (/^(?:\*|x|latest|next|>=?\s*0(?:\.0)*)$/i.test(range.trim())) return true;
  if (/^>=?\s*[\d.]+$/.test(range.trim()))
    return manifest.ecosystem === "npm" || manifest.ecosystem === "php";
  return range.trim() === "" && manifest.ecosystem === "python" && manifest.file.includes("requirements");
}
