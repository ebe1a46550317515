// Owns a small file system of its own that can be filled and freed, as a full disk is; mounting needs root on Linux.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  /** Writes until nothing more fits. */
  fill(): Promise<void>;
  /** Makes room again. */
  free(): Promise<void>;
  unmount(): void;
}

function mount(directory: string, size: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", directory]).status === 0;
}

/** True where this process may mount a file system. */
export async function canMount(): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), "firm-mount-"));
  const mounted = mount(directory, "64k");
  if (mounted) spawnSync("umount", [directory]);
  await rmdir(directory);
  return mounted;
}

/** Mounts a file system at a directory. @param size as mount understands it, e.g. `48m` */
export async function smallDisk(directory: string, size: string): Promise<SmallDisk> {
  await mkdir(directory, { recursive: true });
  if (!mount(directory, size)) throw new Error(`nothing can be mounted at ${directory}`);
  const filler = join(directory, "filler");
  return {
    fill: async () => {
      // A page at a time at the end, so that nothing at all fits.
      for (const bytes of [1_048_576, 4_096]) {
        for (;;) {
          try {
            await writeFile(filler, Buffer.alloc(bytes), { flag: "a" });
          } catch (error) {
            if (error instanceof Error && "code" in error && error.code === "ENOSPC") break;
            throw error;
          }
        }
      }
    },
    free: () => rm(filler),
    unmount: () => {
      // Lazily: a process that is just ending may hold a file.
      spawnSync("umount", ["-l", directory]);
    },
  };
}
