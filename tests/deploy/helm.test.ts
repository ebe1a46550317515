// The promise: the chart renders and is valid for several sets of values and versions of Kubernetes, and refuses wrong values by name.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import * as z from "zod";
import { chartCopy, plainManifests, render } from "../../deploy/kubernetes/render.ts";

const CI = resolve(import.meta.dirname, "../../deploy/helm/firm/ci");
const VALUES = readdirSync(CI).toSorted();
const VERSIONS = ["1.33.0", "1.36.0"];

/** A program by its variable or from PATH; undefined where it is not there. */
function program(variable: string, name: string, probe: string[]): string | undefined {
  const path = process.env[variable] ?? name;
  return spawnSync(path, probe, { stdio: "ignore" }).status === 0 ? path : undefined;
}
const helm = program("FIRM_HELM", "helm", ["version"]);
const validator = program("FIRM_KUBERNETES_VALIDATE", "kubernetes-validate", ["--version"]);
const kustomize = program("FIRM_KUSTOMIZE", "kustomize", ["version"]);
for (const [name, found] of Object.entries({ helm, "kubernetes-validate": validator, kustomize }))
  if (found === undefined) process.stderr.write(`helm.test.ts: ${name} is not here; its tests are skipped\n`);

const directory = mkdtempSync(join(tmpdir(), "firm-helm-"));
afterAll(() => rmSync(directory, { recursive: true }));

const Manifest = z
  .object({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).optional() }).loose(),
    spec: z.looseObject({}).optional(),
  })
  .loose();
type Manifest = z.infer<typeof Manifest>;
const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.toJS();
    return value === null ? [] : [Manifest.parse(value)];
  });
const rendered = (values: string, version = VERSIONS[0]): Manifest[] =>
  manifestsIn(render(helm ?? "helm", ["--values", join(CI, values)], version));
/** Kinds whose schemas are Kubernetes' own; the rest are of operators. */
const isCore = ({ apiVersion }: Manifest): boolean =>
  !/^(?:keda\.sh|monitoring\.coreos\.com)\//.test(apiVersion);

describe.skipIf(helm === undefined)("the chart", () => {
  it.each(VALUES)("lints with %s", (values) => {
    const chart = chartCopy();
    try {
      const out = execFileSync(helm ?? "", ["lint", "--strict", chart.path, "--values", join(CI, values)], {
        encoding: "utf8",
      });
      expect(out).toContain("0 chart(s) failed");
    } finally {
      chart.remove();
    }
  });

  it("has a Deployment, a budget and a durable's scaler for each role, and a pair of gateways", () => {
    const all = rendered("all-in-one-values.yaml");
    const names = (kind: string): string[] =>
      all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
    expect(names("Deployment")).toHaveLength(2 + 4 * 3 + 9);
    expect(names("PodDisruptionBudget")).toEqual(names("Deployment"));
    expect(names("ScaledObject")).toEqual(names("Deployment").filter((name) => name !== "firm-gateway"));
    const gateway = all.find(
      ({ kind, metadata }) => kind === "Deployment" && metadata.name === "firm-gateway",
    );
    expect(gateway?.spec).toMatchObject({ replicas: 2 });
    const scaled = all.find(
      ({ kind, metadata }) => kind === "ScaledObject" && metadata.name === "firm-employee-implementer",
    );
    expect(scaled?.spec).toMatchObject({
      minReplicaCount: 0,
      triggers: [{ metadata: { stream: "FIRM_WORK", consumer: "employee_implementer" } }],
    });
    const asked = all.find(
      ({ kind, metadata }) => kind === "ScaledObject" && metadata.name === "firm-executive-cfo",
    );
    expect(asked?.spec).toMatchObject({ minReplicaCount: 1 });
  });

  it("gives a pod its own seed alone, no API access, and the restricted profile", () => {
    for (const { kind, metadata, spec } of VALUES.flatMap((values) => rendered(values))) {
      if (kind !== "Deployment") continue;
      const text = JSON.stringify(spec);
      const role = metadata.labels?.["firm.dev/role"] ?? "";
      expect([metadata.name, text.match(/"key":"[\w.-]+\.nk"/g)]).toEqual([
        metadata.name,
        [`"key":"${role}.nk"`],
      ]);
      expect(text.includes('"key":"token.key"')).toBe(role === "gateway");
      for (const part of [
        '"automountServiceAccountToken":false',
        '"runAsNonRoot":true',
        '"readOnlyRootFilesystem":true',
        '"drop":["ALL"]',
        '"type":"RuntimeDefault"',
        '"allowPrivilegeEscalation":false',
      ])
        expect([metadata.name, text]).toEqual([metadata.name, expect.stringContaining(part)]);
    }
  });

  it("lets roles reach NATS and the name server, and only a role with a model what is named for it", () => {
    const policies = rendered("all-in-one-values.yaml").filter(({ kind }) => kind === "NetworkPolicy");
    expect(policies.map(({ metadata }) => metadata.name)).toEqual([
      "firm",
      "firm-employee-implementer-egress",
    ]);
    expect(policies[0]?.spec).toMatchObject({
      policyTypes: ["Ingress", "Egress"],
      egress: [{ ports: [{ port: 4222 }] }, { ports: [{ port: 53 }, { port: 53 }] }],
    });
    expect(rendered("small-values.yaml").some(({ kind }) => kind === "NetworkPolicy")).toBe(false);
  });

  it.each([
    ["bus.url=", "bus.url is empty"],
    ["bus.url=http://x", "url"],
    ["bus.url=nats://n:4222,gateway.replicas=0", "replicas"],
    ["bus.url=nats://n:4222,roles.overrides.janitor.replicas=2", "janitor"],
    ["bus.url=nats://n:4222,autoscaling.kind=magic", "kind"],
    ["bus.url=nats://n:4222,gatewy.replicas=2", "gatewy"],
    ["bus.url=nats://n:4222,executives={cfo,janitor}", "executives"],
  ])("refuses %s by name", (set, named) => {
    expect(() => render(helm ?? "", ["--set", set])).toThrow(named);
  });

  it("is what deploy/kubernetes/firm.yaml holds", () => {
    const committed = readFileSync(resolve(import.meta.dirname, "../../deploy/kubernetes/firm.yaml"), "utf8");
    expect(committed).toBe(plainManifests(helm ?? ""));
  });
});

describe.skipIf(helm === undefined || validator === undefined)("valid manifests", () => {
  it.each(VALUES.flatMap((values) => VERSIONS.map((version) => [values, version] as const)))(
    "%s for Kubernetes %s",
    (values, version) => {
      const file = join(directory, `${values}-${version}.yaml`);
      const core = rendered(values, version).filter(isCore);
      writeFileSync(file, core.map((one) => JSON.stringify(one)).join("\n---\n"));
      const minor = version.split(".").slice(0, 2).join(".");
      const { status, stdout, stderr } = spawnSync(validator ?? "", ["--strict", "-k", minor, file], {
        encoding: "utf8",
      });
      expect([
        status,
        `${stdout}${stderr}`.split("\n").filter((line) => /^(?:ERROR|WARN)/.test(line)),
      ]).toEqual([0, []]);
    },
  );

  it("a misspelt field is found", () => {
    const file = join(directory, "wrong.yaml");
    writeFileSync(
      file,
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, dat: {} }),
    );
    expect(spawnSync(validator ?? "", ["--strict", "-k", "1.33", file]).status).not.toBe(0);
  });
});

describe.skipIf(kustomize === undefined)("kustomize", () => {
  it("builds the plain manifests", () => {
    const out = execFileSync(
      kustomize ?? "",
      ["build", resolve(import.meta.dirname, "../../deploy/kubernetes")],
      { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
    );
    const all = manifestsIn(out);
    expect(all.filter(({ kind }) => kind === "Deployment")).toHaveLength(23);
    expect(all.every(({ metadata }) => metadata.namespace === "firm")).toBe(true);
  });
});
