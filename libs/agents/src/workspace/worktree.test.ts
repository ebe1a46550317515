import { access, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { testFolder, testRepo, type TestFolder } from "../testing/repo.ts";
import { git } from "./git.ts";
import { checkPullRequest, preparePullRequest } from "./pull-request.ts";
import { openWorktree, type Worktree } from "./worktree.ts";

const RUN = "01JTESTRUN0000000000000000";
const made: TestFolder[] = [];
const keep = async (folder: Promise<TestFolder>): Promise<TestFolder> => {
  made.push(await folder);
  return folder;
};
afterEach(async () => {
  await Promise.all(made.splice(0).map((folder) => folder.remove()));
});

const open = (repo: TestFolder, more: object = {}): Promise<Worktree> =>
  openWorktree({
    workspace: repo.path,
    stateDir: join(repo.path, ".firm"),
    run: RUN,
    role: "employee:implementer",
    signal: AbortSignal.timeout(20_000),
    ...more,
  });

const task = (n: number): { subject: string; files: Record<string, string> } => ({
  subject: `Sub-task ${n}`,
  files: { [`docs/${n}.md`]: `${n}\n` },
});

test("one commit for each sub-task, with trailers, on firm/<run>, and the user's tree untouched (W1)", async () => {
  const repo = await keep(testRepo({ "a.txt": "a\n" }));
  await writeFile(join(repo.path, "a.txt"), "changed\n");
  await repo.write({ "b.txt": "staged\n" });
  await git(repo.path, ["add", "b.txt"]);
  const before = await git(repo.path, ["status", "--porcelain"]);
  const tree = await open(repo);
  expect(tree.dirty).toBe(true);
  expect(await readFile(join(tree.path, "a.txt"), "utf8")).toBe("a\n");
  const first = await tree.commit(task(1));
  const second = await tree.commit(task(2));
  expect([first?.subject, second?.subject]).toEqual(["Sub-task 1", "Sub-task 2"]);
  await tree.close();
  expect(await git(repo.path, ["status", "--porcelain"])).toBe(before);
  expect((await git(repo.path, ["log", "--format=%s", "main"])).trim()).toBe("First");
  const log = await git(repo.path, [
    "log",
    "--format=%s|%(trailers:key=Firm-Run,valueonly,separator=%x2C)|%(trailers:key=Firm-Role,valueonly,separator=%x2C)",
    `main..firm/${RUN}`,
  ]);
  expect(log.trim().split("\n")).toEqual([
    `Sub-task 2|${RUN}|employee:implementer`,
    `Sub-task 1|${RUN}|employee:implementer`,
  ]);
  expect(await git(repo.path, ["worktree", "list"])).not.toContain("worktrees");
});

test("W3: a redone attempt finds its commits and adds none", async () => {
  const repo = await keep(testRepo());
  const killed = await open(repo);
  const first = await killed.commit(task(1));
  await repo.write({ ".firm/worktrees/x": "" });
  await writeFile(join(killed.path, "half.txt"), "half");
  // The killed worker gave no lock back: its process is gone.
  await writeFile(`${killed.path}.lock`, "999999999");
  const again = await open(repo);
  expect(await again.commit(task(1))).toEqual(first);
  expect((await again.commit(task(2)))?.sha).not.toBe(first?.sha);
  expect(await git(again.path, ["status", "--porcelain"])).toBe("");
  await again.close();
  expect((await git(repo.path, ["rev-list", "--count", `main..firm/${RUN}`])).trim()).toBe("2");
});

test("a worktree whose directory was removed is pruned and made anew", async () => {
  const repo = await keep(testRepo());
  const first = await open(repo);
  await first.commit(task(1));
  const { rm } = await import("node:fs/promises");
  await rm(first.path, { recursive: true });
  await rm(`${first.path}.lock`);
  const again = await open(repo);
  await expect(access(join(again.path, "docs/1.md"))).resolves.toBeUndefined();
  await again.close();
});

test("a second holder waits for the first", async () => {
  const repo = await keep(testRepo());
  const first = await open(repo);
  const order: string[] = [];
  const second = open(repo, { role: "employee:other" }).then((tree) => {
    order.push("second");
    return tree;
  });
  await first.commit(task(1));
  order.push("first");
  await first.close();
  await (await second).close();
  expect(order).toEqual(["first", "second"]);
});

test("a detached head and a subdirectory of the repository work", async () => {
  const repo = await keep(testRepo({ "sub/a.txt": "a\n" }));
  await git(repo.path, ["checkout", "--quiet", "--detach"]);
  const tree = await open(repo, { workspace: join(repo.path, "sub") });
  expect(tree.base).toBe("main");
  expect(await tree.commit(task(1))).toBeDefined();
  await tree.close();
});

test("content that is there already makes no commit", async () => {
  const repo = await keep(testRepo({ "a.txt": "a\n" }));
  const tree = await open(repo);
  expect(await tree.commit({ subject: "Same", files: { "a.txt": "a\n" } })).toBeUndefined();
  await tree.close();
});

describe("refusals", () => {
  test.each(["../out.txt", ".git/hooks/x", "/etc/x"])("a file outside the repository: %s", async (name) => {
    const repo = await keep(testRepo());
    const tree = await open(repo);
    await expect(tree.commit({ subject: "Out", files: { [name]: "x" } })).rejects.toMatchObject({
      code: "invalid-input",
    });
    await tree.close();
  });

  test("W2: the default branch, under whatever name", async () => {
    const repo = await keep(testRepo());
    await expect(open(repo, { branch: "main" })).rejects.toMatchObject({
      name: "TerminalError",
      field: "branch",
    });
    await git(repo.path, ["branch", "--move", "main", "trunk"]);
    await expect(open(repo, { branch: "trunk" })).rejects.toMatchObject({ name: "TerminalError" });
  });

  test("no repository, a bare one, one without commits: each says so", async () => {
    const plain = await keep(testFolder());
    await expect(open(plain)).rejects.toThrow("not a git repository");
    const bare = await keep(testFolder());
    await git(bare.path, ["init", "--quiet", "--bare"]);
    await expect(open(bare)).rejects.toThrow("bare");
    const unborn = await keep(testFolder());
    await git(unborn.path, ["init", "--quiet"]);
    await expect(open(unborn)).rejects.toThrow("no commit");
  });
});

describe("pull request", () => {
  const draft = {
    title: "t",
    body: "b",
    branch: "firm/x",
    base: "main",
    draft: true,
    labels: ["needs-review"],
    files: [],
  };

  test.each([
    ["not a draft", { draft: false }, "draft"],
    ["without the label", { labels: ["other"] }, "labels"],
    ["from its own base", { branch: "main" }, "branch"],
  ])("%s is refused", (_, change, field) => {
    expect(() => checkPullRequest({ ...draft, ...change })).toThrow(
      expect.objectContaining({ code: "invalid-input", field }),
    );
  });

  test("without a remote it is left as a patch that applies, and a body", async () => {
    const repo = await keep(testRepo());
    const tree = await open(repo);
    await tree.commit(task(1));
    const { pullRequest, note } = await preparePullRequest({
      worktree: tree,
      stateDir: join(repo.path, ".firm"),
      run: RUN,
      title: "Title",
      body: "Body",
      signal: AbortSignal.timeout(20_000),
      publish: true,
    });
    await tree.close();
    expect(note).toContain("no remote");
    expect(pullRequest).toMatchObject({
      draft: true,
      labels: ["needs-review"],
      base: "main",
      branch: `firm/${RUN}`,
    });
    expect(await readFile(pullRequest.files[1] ?? "", "utf8")).toBe("# Title\n\nBody\n");
    await git(repo.path, ["apply", "--check", pullRequest.files[0] ?? ""]);
  });

  test("a branch without commits proposes nothing", async () => {
    const repo = await keep(testRepo());
    const tree = await open(repo);
    const input = {
      worktree: tree,
      stateDir: join(repo.path, ".firm"),
      run: RUN,
      title: "T",
      body: "",
      signal: AbortSignal.timeout(9_000),
      publish: false,
    };
    await expect(preparePullRequest(input)).rejects.toMatchObject({ code: "agent-failed" });
    await tree.close();
  });
});
