// Holds how nats-server is found or brought: every step, and every way in which one fails.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { downloadNatsServer } from "./download.ts";
import { cacheDir, cachedServer, findNatsServer } from "./find.ts";
import { installPlan, type Machine } from "./package-manager.ts";
import { NATS_VERSION, releaseFor, type Release } from "./releases.ts";
import { resolveNatsServer } from "./resolve.ts";
import { isOlderLine, isSupported, natsVersionOf, versionIn } from "./version.ts";

const PROGRAM = "#!/bin/sh\necho 'nats-server: v2.11.8'\n";
let dir: string;
let archive: Buffer;
let server: Server | undefined;

beforeAll(async () => {
  const made = await mkdtemp(join(tmpdir(), "firm-archive-"));
  await mkdir(join(made, "stem"));
  await writeFile(join(made, "stem", "nats-server"), PROGRAM);
  execFileSync("tar", ["-czf", join(made, "a.tar.gz"), "-C", made, "stem/nats-server"]);
  archive = await readFile(join(made, "a.tar.gz"));
  await rm(made, { recursive: true });
});
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "firm-nats-find-"));
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(dir, { recursive: true, force: true });
});

async function serve(listener: RequestListener): Promise<Release> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  const address = started.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    version: NATS_VERSION,
    url: `http://127.0.0.1:${port}/a.tar.gz`,
    sha256: createHash("sha256").update(archive).digest("hex"),
    member: "stem/nats-server",
  };
}

describe("the pinned release", () => {
  it.each([
    ["linux", "x64", "linux-amd64"],
    ["linux", "arm64", "linux-arm64"],
    ["darwin", "x64", "darwin-amd64"],
    ["darwin", "arm64", "darwin-arm64"],
  ])("is known for %s %s", (platform, arch, key) => {
    const release = releaseFor(platform, arch);
    expect(release?.url).toBe(
      `https://github.com/nats-io/nats-server/releases/download/v${NATS_VERSION}/nats-server-v${NATS_VERSION}-${key}.tar.gz`,
    );
    expect(release?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(release?.member).toBe(`nats-server-v${NATS_VERSION}-${key}/nats-server`);
  });

  it("has a checksum of its own for each platform, and none for others", () => {
    const all = ["linux", "darwin"].flatMap((os) =>
      ["x64", "arm64"].map((cpu) => releaseFor(os, cpu)?.sha256),
    );
    expect(new Set(all).size).toBe(4);
    expect(releaseFor("win32", "x64")).toBeUndefined();
    expect(releaseFor("linux", "riscv64")).toBeUndefined();
  });
});

describe("finding", () => {
  const program = async (path: string): Promise<string> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, PROGRAM);
    await chmod(path, 0o755);
    return path;
  };

  it("prefers the one named, then PATH, then the cache", async () => {
    const env = { HOME: dir, XDG_CACHE_HOME: join(dir, "cache"), PATH: join(dir, "bin") };
    expect(await findNatsServer(env, [])).toBeUndefined();
    const cached = await program(cachedServer(env));
    expect(await findNatsServer(env, [])).toEqual({ path: cached, source: "cache" });
    const onPath = await program(join(dir, "bin", "nats-server"));
    expect(await findNatsServer(env, [])).toEqual({ path: onPath, source: "PATH" });
    const named = await program(join(dir, "mine"));
    expect(await findNatsServer({ ...env, FIRM_NATS_SERVER: named }, [])).toEqual({
      path: named,
      source: "FIRM_NATS_SERVER",
    });
  });

  it("refuses a name that names no program", async () => {
    await writeFile(join(dir, "text"), "x");
    for (const name of ["text", "missing", "."]) {
      await expect(findNatsServer({ FIRM_NATS_SERVER: join(dir, name) })).rejects.toMatchObject({
        code: "invalid-config",
        field: "FIRM_NATS_SERVER",
      });
    }
  });

  it.each([
    [{ HOME: "/h" }, "linux", "/h/.cache/firm"],
    [{ HOME: "/h" }, "darwin", "/h/Library/Caches/firm"],
    [{ HOME: "/h", XDG_CACHE_HOME: "/x" }, "darwin", "/x/firm"],
    [{ HOME: "/h", XDG_CACHE_HOME: "relative" }, "linux", "/h/.cache/firm"],
  ])("caches per user: %j on %s", (env, platform, path) => {
    expect(cacheDir(env, platform)).toBe(path);
  });

  it("asks for the version and refuses what is too old or no server", async () => {
    expect(await natsVersionOf(await program(join(dir, "a")))).toBe("2.11.8");
    const old = join(dir, "old");
    await writeFile(old, "#!/bin/sh\necho nats-server: v2.8.4\n", { mode: 0o755 });
    await expect(natsVersionOf(old)).rejects.toThrow("needs 2.9 or newer");
    await writeFile(join(dir, "bad"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    await expect(natsVersionOf(join(dir, "bad"))).rejects.toThrow("does not run");
    expect([versionIn("nats-server: v2.15.0-RC.1"), versionIn("hello")]).toEqual(["2.15.0-RC.1", undefined]);
    expect(["2.8.9", "2.9.0", "2.15.1", "3.0.0"].map(isSupported)).toEqual([false, true, true, true]);
    expect(isOlderLine("2.9.10", "2.15.0")).toBe(true);
    expect(["2.15.0", "2.16.1", "3.0.0"].map((version) => isOlderLine(version, "2.15.9"))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("the download", () => {
  const target = (): string => join(dir, "cache", "v", "nats-server");

  it("puts a verified program in place", async () => {
    const release = await serve((_, response) => response.end(archive));
    await downloadNatsServer(release, target());
    expect(await natsVersionOf(target())).toBe("2.11.8");
    expect(await readdir(join(dir, "cache"))).toEqual(["v"]);
  });

  it("may be made by two at once", async () => {
    const release = await serve((_, response) => response.end(archive));
    await Promise.all([downloadNatsServer(release, target()), downloadNatsServer(release, target())]);
    expect(await natsVersionOf(target())).toBe("2.11.8");
  });

  it.each<[string, RequestListener, string]>([
    ["other bytes", (_, response) => response.end("not the archive"), "is not the pinned release"],
    ["an error", (_, response) => response.writeHead(404).end(), "HTTP 404"],
    [
      "a cut connection",
      (_, response) => {
        response.writeHead(200, { "content-length": archive.length });
        response.write(archive.subarray(0, 20), () => response.destroy());
      },
      "could not be fetched",
    ],
    ["silence", (_, response) => response.writeHead(200).flushHeaders(), "nothing came for"],
  ])("leaves nothing behind after %s", async (_, listener, words) => {
    const release = await serve(listener);
    await expect(downloadNatsServer(release, target(), { idleMs: 200 })).rejects.toThrow(words);
    expect(await readdir(join(dir, "cache"))).toEqual([]);
  });

  it("refuses an archive without the program", async () => {
    const release = await serve((_, response) => response.end(archive));
    await expect(downloadNatsServer({ ...release, member: "other/nats-server" }, target())).rejects.toThrow(
      "could not be fetched",
    );
  });
});

describe("the package manager", () => {
  const machine: Machine = {
    platform: "linux",
    root: false,
    aptGet: undefined,
    sudo: undefined,
    brew: undefined,
  };
  const apt = "/usr/bin/apt-get";

  it.each<[string, Partial<Machine>, string | undefined]>([
    [
      "root with apt-get",
      { root: true, aptGet: apt },
      `${apt} install -y -qq --no-install-recommends nats-server`,
    ],
    [
      "a user with sudo",
      { aptGet: apt, sudo: "/usr/bin/sudo" },
      `/usr/bin/sudo -n ${apt} install -y -qq --no-install-recommends nats-server`,
    ],
    ["a user without", { aptGet: apt }, undefined],
    [
      "brew",
      { platform: "darwin", brew: "/opt/homebrew/bin/brew" },
      "/opt/homebrew/bin/brew install nats-server",
    ],
    ["a user without sudo but with brew", { aptGet: apt, brew: "/b/brew" }, "/b/brew install nats-server"],
    ["nothing", {}, undefined],
  ])("%s", (_, here, command) => {
    expect(
      installPlan({ ...machine, ...here })
        ?.commands.at(-1)
        ?.join(" "),
    ).toBe(command);
  });
});

describe("the whole way", () => {
  const none: Machine = {
    platform: "linux",
    root: false,
    aptGet: undefined,
    sudo: undefined,
    brew: undefined,
  };
  const resolving = (extra: Partial<Parameters<typeof resolveNatsServer>[0]>) => {
    const said: string[] = [];
    const env = { HOME: dir, PATH: join(dir, "bin") };
    const done = resolveNatsServer({
      env,
      say: (line) => said.push(line),
      systemDirs: [],
      machine: none,
      ...extra,
    });
    return { said, done };
  };

  it("fetches once, then uses the cache in silence", async () => {
    const release = await serve((_, response) => response.end(archive));
    const first = resolving({ release });
    expect(await first.done).toMatchObject({ source: "download" });
    expect(first.said.join()).toContain("fetching");
    const second = resolving({ release });
    expect(await second.done).toMatchObject({ source: "cache" });
    expect(second.said).toEqual([]);
  });

  it("goes on to the distribution's package and says so", async () => {
    const release = await serve((_, response) => response.end("something else"));
    const bin = join(dir, "bin");
    await mkdir(bin);
    const apt = join(dir, "apt-get");
    await writeFile(
      apt,
      `#!/bin/sh\n[ "$1" = install ] || exit 100\nprintf '#!/bin/sh\\n' > ${bin}/nats-server; chmod 755 ${bin}/nats-server\n`,
      { mode: 0o755 },
    );
    const { said, done } = resolving({ release, machine: { ...none, root: true, aptGet: apt } });
    expect(await done).toEqual({ path: join(bin, "nats-server"), source: "package manager" });
    expect(said.join("\n")).toContain("is not the pinned release");
    expect(said.at(-1)).toContain(`installing nats-server with apt-get: ${apt} install`);
  });

  it("ends with an error that says how by hand", async () => {
    const apt = join(dir, "apt-get");
    await writeFile(apt, "#!/bin/sh\necho 'E: Unable to locate package' >&2; exit 100\n", { mode: 0o755 });
    const release = await serve((_, response) => response.writeHead(503).end());
    const { done } = resolving({ release, machine: { ...none, root: true, aptGet: apt } });
    await expect(done).rejects.toMatchObject({
      code: "bus-unavailable",
      message: expect.stringMatching(/HTTP 503.*apt-get did not install it: E: Unable to locate package/),
      hint: expect.stringContaining("FIRM_NATS_SERVER"),
    });
  });
});
