// Owns a program in a container of the engine here, as a child process would be: its words, its end, its signals.
import { GenericContainer, getContainerRuntimeClient, Wait } from "testcontainers";
import * as z from "zod";

/** Where the tests run servers and services: `containers` in an engine, anything else as processes of this machine. One place decides. */
export const IN_CONTAINERS = process.env["FIRM_TESTS_IN"] === "containers";

export interface ContainerSpec {
  readonly image: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Directories of this machine, mounted under their own path. */
  readonly mounts: readonly string[];
  /** What it says once it is ready. */
  readonly ready: RegExp;
  readonly onText: (text: string) => void;
}

export interface RunningContainer {
  /** Resolves with the exit code. */
  readonly exited: Promise<number>;
  readonly alive: boolean;
  /** Resolves once it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts it on the machine's own network, so that addresses mean the same inside and outside. */
export async function startContainer(spec: ContainerSpec): Promise<RunningContainer> {
  const started = await new GenericContainer(spec.image)
    .withCommand([...spec.command])
    .withEnvironment({ ...spec.env })
    .withNetworkMode("host")
    .withUser("0:0")
    .withBindMounts(spec.mounts.map((path) => ({ source: path, target: path })))
    .withLogConsumer(
      (stream) => void stream.on("data", (chunk: Buffer | string) => spec.onText(chunk.toString())),
    )
    .withWaitStrategy(Wait.forLogMessage(spec.ready))
    .start();
  const client = await getContainerRuntimeClient();
  const container = client.container.getById(started.getId());
  let alive = true;
  const exited = container.wait().then((end: unknown) => {
    alive = false;
    return Exit.parse(end).StatusCode;
  });
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (!alive) return;
    await container.kill({ signal }).catch((error: unknown) => {
      // It has ended in the same moment.
      if (!/is not running|No such container/i.test(String(error))) throw error;
    });
    await exited;
    await container.remove({ force: true });
  };
  return {
    exited,
    kill,
    get alive() {
      return alive;
    },
  };
}

/** What the engine says of a container's end. */
const Exit = z.object({ StatusCode: z.number() });
