// Holds the shape of the code: dependencies point one way, purity, and one place for each edge to the outside world.
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { importsOf, isTest, ROOT, sourceFiles, withoutComments, type SourceFile } from "./harness/sources.ts";

/** Which workspaces a library may import. Services may import any library, and no service. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "libs/protocol": [],
  "libs/policy": ["libs/protocol"],
  "libs/orchestration": ["libs/protocol"],
  "libs/config": ["libs/protocol"],
  "libs/agents": ["libs/protocol"],
  "libs/bus": ["libs/protocol"],
  "libs/actor": ["libs/bus", "libs/config", "libs/protocol"],
  // What the role services have in common: an agent at work inside the actor runtime.
  "libs/roles": ["libs/actor", "libs/agents", "libs/config", "libs/orchestration", "libs/protocol"],
};

/** What the pure libraries may import besides their own files: each line has its reason. */
const PURE_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  // Schemas guard the edges; the skill's block is YAML; a ULID's time part.
  "libs/protocol": ["zod", "yaml", "ulid"],
  "libs/policy": ["zod"],
  "libs/orchestration": ["zod"],
  // firm.yaml.
  "libs/config": ["zod", "yaml"],
};

/** A digest is a pure function; node:crypto is its only implementation at hand. */
const PURE_NODE_EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  "libs/protocol/src/ids.ts": ["node:crypto"],
};

const NATS = /^(?:nats|@nats-io\/.+)$/;
/** Key pairs are generated where credentials are written; they open no connection. */
const NATS_EXCEPTIONS: Readonly<Record<string, readonly string[]>> = { "services/cli": ["@nats-io/nkeys"] };
const STARTS_PROCESSES = /^(?:execa|(?:node:)?(?:child_process|cluster))$/;
const CALLS_OUT = /^(?:node:(?:https|http2|dgram|tls)|undici|axios)$/;

/** The global function, not a method of that name. */
const GLOBAL_FETCH = /(?:\bawait|\breturn|[=(,:?>])\s*fetch\(|\bglobalThis\.fetch\b/;

const Manifest = z.object({ name: z.string() });
const files = sourceFiles("libs", "services");
const sources = files.filter((file) => !isTest(file.path));
const workspaceOfName = new Map(
  [...new Set(files.map((file) => file.workspace))].map((workspace) => {
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(ROOT, workspace, "package.json"), "utf8")));
    return [manifest.name, workspace];
  }),
);

/** The package of a bare specifier: `@firm/bus` of `@firm/bus/testing`, `yaml` of `yaml`. */
function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** The workspace that an import leads to; undefined for packages and Node's own modules. */
function workspaceOf(file: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return workspaceOfName.get(packageOf(specifier));
  return normalize(join(file.path, "..", specifier))
    .split("/")
    .slice(0, 2)
    .join("/");
}

/** `path → specifier` of each import that breaks a rule; empty where none does. */
function offences(among: readonly SourceFile[], breaks: (file: SourceFile, specifier: string) => boolean) {
  return among.flatMap((file) =>
    file.imports
      .filter((specifier) => breaks(file, specifier))
      .map((specifier) => `${file.path} → ${specifier}`),
  );
}

describe("the walk itself", () => {
  it("sees every way to import, and no comment", () => {
    const code = withoutComments(`
      // import "commented";
      import a from "static"; import type { B } from 'typed'; export * from "again"; import "bare";
      const c = await import("dynamic"); const url = "nats://host"; /* from "blocked" */
    `);
    expect(importsOf(code)).toEqual(["static", "typed", "again", "bare", "dynamic"]);
    expect(code).toContain("nats://host");
  });

  it("finds the libraries", () => {
    expect(new Set(files.map((file) => file.workspace))).toContain("libs/protocol");
    expect(workspaceOfName.get("@firm/protocol")).toBe("libs/protocol");
  });
});

describe("dependencies point one way", () => {
  it("a library imports only the libraries below it", () => {
    const libraries = sources.filter((file) => file.workspace.startsWith("libs/"));
    const breaks = (file: SourceFile, specifier: string): boolean => {
      const target = workspaceOf(file, specifier);
      return (
        target !== undefined && target !== file.workspace && !MAY_IMPORT[file.workspace]?.includes(target)
      );
    };
    expect(offences(libraries, breaks)).toEqual([]);
  });

  it("services never import each other", () => {
    const services = files.filter((file) => file.workspace.startsWith("services/"));
    const breaks = (file: SourceFile, specifier: string): boolean => {
      const target = workspaceOf(file, specifier);
      return target !== undefined && target !== file.workspace && !target.startsWith("libs/");
    };
    expect(offences(services, breaks)).toEqual([]);
  });

  it("another workspace is imported by its name, not by a path into it", () => {
    const breaks = (file: SourceFile, specifier: string): boolean =>
      specifier.startsWith(".") && workspaceOf(file, specifier) !== file.workspace;
    expect(offences(files, breaks)).toEqual([]);
  });

  it("every library stands in the table", () => {
    const libraries = new Set(
      files.map((file) => file.workspace).filter((workspace) => workspace.startsWith("libs/")),
    );
    expect([...libraries].filter((library) => MAY_IMPORT[library] === undefined)).toEqual([]);
  });
});

describe("the pure libraries", () => {
  const pure = sources.filter((file) => Object.hasOwn(PURE_MAY_IMPORT, file.workspace));

  it("import no module of Node", () => {
    const breaks = (file: SourceFile, specifier: string): boolean =>
      specifier.startsWith("node:") && !PURE_NODE_EXCEPTIONS[file.path]?.includes(specifier);
    expect(offences(pure, breaks)).toEqual([]);
  });

  it("import no package but those listed", () => {
    const breaks = (file: SourceFile, specifier: string): boolean =>
      !specifier.startsWith(".") &&
      !specifier.startsWith("node:") &&
      workspaceOf(file, specifier) === undefined &&
      !PURE_MAY_IMPORT[file.workspace]?.includes(packageOf(specifier));
    expect(offences(pure, breaks)).toEqual([]);
  });

  it("read no clock, draw no random number, see no environment", () => {
    const impure =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.|\bset(?:Timeout|Interval|Immediate)\(|\bcrypto\.|\bperformance\./;
    expect(
      pure.filter((file) => impure.test(file.code) || GLOBAL_FETCH.test(file.code)).map((file) => file.path),
    ).toEqual([]);
  });
});

describe("one place for each edge", () => {
  it("only libs/bus imports the NATS client", () => {
    const outside = sources.filter((file) => file.workspace !== "libs/bus");
    const breaks = (file: SourceFile, specifier: string): boolean =>
      NATS.test(packageOf(specifier)) && !NATS_EXCEPTIONS[file.workspace]?.includes(packageOf(specifier));
    expect(offences(outside, breaks)).toEqual([]);
  });

  it("only libs/agents and services/cli start processes or call out", () => {
    const others = sources.filter((file) => !["libs/agents", "services/cli"].includes(file.workspace));
    const breaks = (_: SourceFile, specifier: string): boolean =>
      STARTS_PROCESSES.test(specifier) || CALLS_OUT.test(packageOf(specifier));
    expect(offences(others, breaks)).toEqual([]);
    expect(others.filter((file) => GLOBAL_FETCH.test(file.code)).map((file) => file.path)).toEqual([]);
  });

  it("subjects, streams and buckets are spelt in libs/protocol/src/subjects.ts alone", () => {
    // A literal that starts with a subject builds one; a sentence that mentions one in passing does not.
    const spelt =
      /^["'`]firm\.(?:objective|invoke|control|feedback|from|to|work|stop|run|dlq)\b|\bFIRM_(?:OBJECTIVES|WORK|RUNS|DLQ)\b|\bfirm-(?:runs|sessions|artifacts)\b/;
    const literal = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
    const elsewhere = sources.filter((file) => file.path !== "libs/protocol/src/subjects.ts");
    const leaks = elsewhere.flatMap((file) =>
      (file.code.match(literal) ?? [])
        .filter((text) => spelt.test(text))
        .map((text) => `${file.path}: ${text}`),
    );
    expect(leaks).toEqual([]);
  });
});

it("every file says in its first line what it owns", () => {
  const silent = sources.filter(
    (file) => !/(?:^|\/)index\.ts$/.test(file.path) && !/^(?:#!.*\n)?\/\/ \S/.test(file.text),
  );
  expect(silent.map((file) => file.path)).toEqual([]);
});
