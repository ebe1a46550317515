// Owns `npm run kubernetes`: the chart as plain manifests for kustomize, with the values of a server that is there already.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
const CHART = join(ROOT, "deploy/helm/firm");
/** The oldest version that the manifests are for. */
const KUBERNETES = "1.33.0";

/**
 * The chart in a directory of its own, beside an empty stand-in for the NATS chart: helm wants every dependency to be there,
 * and only `helm dependency build` can bring the real one.
 */
export function chartCopy(): { readonly path: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), "firm-chart-"));
  const path = join(directory, "firm");
  cpSync(CHART, path, { recursive: true });
  const nats = join(path, "charts/nats");
  mkdirSync(nats, { recursive: true });
  writeFileSync(join(nats, "Chart.yaml"), "apiVersion: v2\nname: nats\nversion: 1.3.0\n");
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** The manifests of a release named `firm`. @param helm the program */
export function render(helm: string, args: readonly string[], kubernetes = KUBERNETES): string {
  const chart = chartCopy();
  try {
    return execFileSync(
      helm,
      ["template", "firm", chart.path, "--namespace", "firm", "--kube-version", kubernetes, ...args],
      { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "pipe"] },
    );
  } finally {
    chart.remove();
  }
}

/** The committed manifests: helm's tests and hooks are for helm alone. */
export function plainManifests(helm: string): string {
  return render(helm, ["--skip-tests", "--values", join(CHART, "ci/existing-server-values.yaml")]);
}

if (import.meta.main) {
  writeFileSync(join(ROOT, "deploy/kubernetes/firm.yaml"), plainManifests(process.env.FIRM_HELM ?? "helm"));
  process.stdout.write("deploy/kubernetes/firm.yaml written\n");
}
