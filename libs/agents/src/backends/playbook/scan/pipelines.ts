// Owns the look at what builds and ships the project: container files and CI workflows.
import type { Finding } from "@firm/protocol";
import { finding } from "../findings.ts";
import type { Repository } from "./files.ts";
import { lineOf } from "./manifest-readers.ts";
import { readText } from "./source.ts";

/** Containers: base images and users. */
export async function containerFindings(
  repository: Repository,
  files: readonly string[],
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const file of files) {
    const text = (await readText(repository, file)) ?? "";
    const lines = text.split("\n");
    const stages = lines.flatMap((line) => /^FROM\s+\S+\s+AS\s+(\S+)/i.exec(line)?.[1]?.toLowerCase() ?? []);
    for (const [i, line] of lines.entries()) {
      const image = /^FROM\s+(?:--\S+\s+)?(\S+)/i.exec(line)?.[1];
      if (
        image === undefined ||
        image === "scratch" ||
        stages.includes(image.toLowerCase()) ||
        image.includes("$")
      )
        continue;
      if (!image.includes("@sha256:") && (!/:[^/]+$/.test(image) || image.endsWith(":latest"))) {
        found.push(
          finding(
            "operations.image-tag",
            { file, line: i + 1, content: image },
            {
              title: `Base image without a version: ${image}`,
              severity: "medium",
              detail: "The next build may start from something else.",
              recommendation: "Name a version, at best with its digest.",
            },
          ),
        );
      }
    }
    if (text !== "" && !/^USER\s+(?!root\b|0\b)\S+/im.test(text)) {
      found.push(
        finding(
          "operations.image-root",
          { file, line: lineOf(text, "FROM") },
          {
            title: "The container runs as root",
            severity: "medium",
            detail: "A break-in has every right inside the container.",
            recommendation: "Create a user and end with USER.",
          },
        ),
      );
    }
  }
  return found;
}

/** Workflows of a forge: rights, time limits, pins. */
export async function workflowFindings(repository: Repository, ci: readonly string[]): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const file of ci.filter((path) => path.includes("workflows/"))) {
    const text = (await readText(repository, file)) ?? "";
    if (!/^\s*permissions\s*:/m.test(text)) {
      found.push(
        finding(
          "operations.workflow-permissions",
          { file, line: 1 },
          {
            title: "The workflow's token has default permissions",
            severity: "low",
            detail: "A hostile step can use whatever the repository's default grants.",
            recommendation: "Add `permissions: contents: read`, and more only to the job that needs it.",
          },
        ),
      );
    }
    if (!/timeout-minutes\s*:/.test(text)) {
      found.push(
        finding(
          "operations.workflow-timeout",
          { file, line: 1 },
          {
            title: "The workflow's jobs have no time limit",
            severity: "low",
            detail: "A hanging job runs for six hours.",
            recommendation: "Add `timeout-minutes` to each job.",
          },
        ),
      );
    }
    const loose = [...text.matchAll(/^\s*-?\s*uses:\s*([^\s@#]+)@(?![0-9a-f]{40})(\S+)/gm)].filter(
      (m) => !(m[1] ?? "").startsWith("./"),
    );
    const [first] = loose;
    if (first !== undefined) {
      const names = [...new Set(loose.map((m) => `${m[1]}@${m[2]}`))].join(", ");
      found.push(
        finding(
          "operations.workflow-pin",
          { file, line: text.slice(0, first.index).split("\n").length },
          {
            title: "Actions are named by tag, which can be moved",
            severity: "low",
            detail: names.slice(0, 1_000),
            recommendation: "Pin actions to the commit and let a bot update them.",
          },
        ),
      );
    }
  }
  return found;
}
