// Pure: the text of a manifest of each ecosystem, as what it says.
import { parse as parseToml } from "smol-toml";
import * as z from "zod";

export interface Dependency {
  readonly name: string;
  readonly range: string;
  readonly development: boolean;
  /** 1-based line in its manifest. */
  readonly line: number | undefined;
}

export interface Manifest {
  readonly file: string;
  readonly ecosystem: "npm" | "python" | "go" | "rust" | "maven" | "ruby" | "php";
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly license: string | undefined;
  readonly private: boolean;
  readonly dependencies: readonly Dependency[];
  readonly scripts: Readonly<Record<string, string>>;
  /** Files the manifest says the world may start or load. */
  readonly entries: readonly { readonly kind: string; readonly path: string }[];
  readonly text: string;
}

/** What a manifest says; undefined for a file that is none. Throws the parser's error. */
export function readManifest(file: string, text: string): Manifest | undefined {
  const base = file.slice(file.lastIndexOf("/") + 1);
  if (base === "package.json") return readNpm(file, text);
  if (base === "pyproject.toml") return readPyproject(file, text);
  if (base.startsWith("requirements"))
    return { ...empty(file, text, "python"), dependencies: requirements(text) };
  if (base === "go.mod") return readGo(file, text);
  if (base === "Cargo.toml") return readCargo(file, text);
  if (base === "pom.xml") return readPom(file, text);
  if (base === "Gemfile")
    return {
      ...empty(file, text, "ruby"),
      dependencies: matches(text, /^\s*gem\s+["']([^"']+)["'](?:\s*,\s*["']([^"']+)["'])?/gm),
    };
  if (base === "composer.json") return readComposer(file, text);
  return {
    ...empty(file, text, "maven"),
    dependencies: matches(
      text,
      /\b(?:implementation|api|testImplementation)\s*\(?\s*["']([^"':]+:[^"':]+):([^"']+)["']/g,
    ),
  };
}

function empty(file: string, text: string, ecosystem: Manifest["ecosystem"]): Manifest {
  return {
    file,
    text,
    ecosystem,
    name: undefined,
    version: undefined,
    description: undefined,
    license: undefined,
    private: false,
    dependencies: [],
    scripts: {},
    entries: [],
  };
}

const Texts = z.record(z.string(), z.string()).catch({});
const MaybeText = z.string().optional().catch(undefined);
const PackageJson = z.looseObject({
  name: MaybeText,
  version: MaybeText,
  description: MaybeText,
  license: MaybeText,
  private: z.boolean().catch(false),
  main: MaybeText,
  bin: z.union([z.string(), Texts]).optional().catch(undefined),
  exports: z.unknown().optional(),
  dependencies: Texts,
  devDependencies: Texts,
  optionalDependencies: Texts,
  scripts: Texts,
});

function readNpm(file: string, text: string): Manifest {
  const json = PackageJson.parse(JSON.parse(text));
  const entries: { kind: string; path: string }[] = [];
  if (json.main !== undefined) entries.push({ kind: "main", path: json.main });
  if (typeof json.bin === "string") entries.push({ kind: "bin", path: json.bin });
  else for (const [name, path] of Object.entries(json.bin ?? {})) entries.push({ kind: `bin ${name}`, path });
  for (const path of leaves(json.exports)) entries.push({ kind: "exports", path });
  const list = (all: Record<string, string>, development: boolean): Dependency[] =>
    Object.entries(all).map(([name, range]) => ({
      name,
      range,
      development,
      line: lineOf(text, `"${name}"`),
    }));
  const dependencies = [
    ...list({ ...json.dependencies, ...json.optionalDependencies }, false),
    ...list(json.devDependencies, true),
  ];
  return {
    ...empty(file, text, "npm"),
    name: json.name,
    version: json.version,
    description: json.description,
    license: json.license,
    private: json.private,
    dependencies,
    scripts: json.scripts,
    entries,
  };
}

function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}

const Pyproject = z.looseObject({
  project: z
    .looseObject({
      name: MaybeText,
      version: MaybeText,
      description: MaybeText,
      dependencies: z.array(z.string()).catch([]),
      scripts: Texts,
      license: z.unknown().optional(),
    })
    .optional(),
  tool: z
    .looseObject({
      poetry: z
        .looseObject({
          name: MaybeText,
          version: MaybeText,
          dependencies: z.record(z.string(), z.unknown()).catch({}),
        })
        .optional(),
    })
    .optional(),
});

function readPyproject(file: string, text: string): Manifest {
  const toml = Pyproject.parse(parseToml(text));
  const poetry = toml.tool?.poetry;
  const dependencies = [
    ...(toml.project?.dependencies ?? []).map((line) => requirement(line, lineOf(text, line))),
    ...Object.entries(poetry?.dependencies ?? {}).map(([name, range]) => ({
      name,
      range: typeof range === "string" ? range : "",
      development: false,
      line: lineOf(text, name),
    })),
  ];
  const license = toml.project?.license === undefined ? undefined : JSON.stringify(toml.project.license);
  return {
    ...empty(file, text, "python"),
    name: toml.project?.name ?? poetry?.name,
    version: toml.project?.version ?? poetry?.version,
    description: toml.project?.description,
    license,
    dependencies,
  };
}

function requirements(text: string): Dependency[] {
  return text
    .split("\n")
    .flatMap((line, i) => (/^\s*[A-Za-z0-9]/.test(line) ? [requirement(line, i + 1)] : []));
}

function requirement(line: string, at: number | undefined): Dependency {
  const [, name = line, range = ""] = /^\s*([A-Za-z0-9._-]+(?:\[[^\]]*\])?)\s*([^;#]*)/.exec(line) ?? [];
  return { name, range: range.trim(), development: false, line: at };
}

function readGo(file: string, text: string): Manifest {
  const dependencies = matches(text, /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+)\s+(v\S+)/gm);
  return { ...empty(file, text, "go"), name: /^module\s+(\S+)/m.exec(text)?.[1], dependencies };
}

const Cargo = z.looseObject({
  package: z
    .looseObject({ name: MaybeText, version: MaybeText, description: MaybeText, license: MaybeText })
    .optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
  "dev-dependencies": z.record(z.string(), z.unknown()).optional(),
});

function readCargo(file: string, text: string): Manifest {
  const toml = Cargo.parse(parseToml(text));
  const list = (all: Record<string, unknown> | undefined, development: boolean): Dependency[] =>
    Object.entries(all ?? {}).map(([name, value]) => ({
      name,
      range:
        typeof value === "string"
          ? value
          : (MaybeText.parse(z.looseObject({ version: MaybeText }).safeParse(value).data?.version) ?? ""),
      development,
      line: lineOf(text, name),
    }));
  return {
    ...empty(file, text, "rust"),
    name: toml.package?.name,
    version: toml.package?.version,
    description: toml.package?.description,
    license: toml.package?.license,
    dependencies: [...list(toml.dependencies, false), ...list(toml["dev-dependencies"], true)],
  };
}

function readPom(file: string, text: string): Manifest {
  const dependencies = [
    ...text.matchAll(
      /<dependency>[\s\S]*?<artifactId>([^<]+)<\/artifactId>(?:\s*<version>([^<]+)<\/version>)?[\s\S]*?<\/dependency>/g,
    ),
  ].map((m) => ({
    name: m[1] ?? "",
    range: m[2] ?? "",
    development: m[0].includes("<scope>test</scope>"),
    line: text.slice(0, m.index).split("\n").length,
  }));
  return {
    ...empty(file, text, "maven"),
    name: /<artifactId>([^<]+)<\/artifactId>/.exec(text)?.[1],
    dependencies,
  };
}

function readComposer(file: string, text: string): Manifest {
  const json = z
    .looseObject({ name: MaybeText, license: MaybeText, require: Texts, "require-dev": Texts })
    .parse(JSON.parse(text));
  const list = (all: Record<string, string>, development: boolean): Dependency[] =>
    Object.entries(all).map(([name, range]) => ({
      name,
      range,
      development,
      line: lineOf(text, `"${name}"`),
    }));
  return {
    ...empty(file, text, "php"),
    name: json.name,
    license: json.license,
    dependencies: [...list(json.require, false), ...list(json["require-dev"], true)],
  };
}

function matches(text: string, pattern: RegExp): Dependency[] {
  return [...text.matchAll(pattern)].map((m) => ({
    name: m[1] ?? "",
    range: m[2] ?? "",
    development: false,
    line: text.slice(0, m.index).split("\n").length + (m[0].startsWith("\n") ? 1 : 0),
  }));
}

/** 1-based line of the first place where the text stands. */
export function lineOf(text: string, needle: string): number | undefined {
  const at = text.indexOf(needle);
  return at === -1 ? undefined : text.slice(0, at).split("\n").length;
}
