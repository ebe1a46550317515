// Owns a TCP proxy before a server, to lose what a network loses: answers, and whole connections.
import { connect, createServer, type Socket } from "node:net";

export interface Proxy {
  readonly port: number;
  /** From now on the client hears nothing more, though the server hears the client. */
  mute(): void;
  /** Cuts all connections; new ones work again. */
  cut(): void;
  close(): Promise<void>;
}

/** Listens on a free port and forwards to another. */
export async function startProxy(target: number): Promise<Proxy> {
  const pairs = new Set<[Socket, Socket]>();
  let muted = false;
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => {
      if (!muted) client.write(chunk);
    });
    for (const socket of pair) {
      // An error is followed by "close", which ends the other side.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const cut = (): void => {
    muted = false;
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    port: address.port,
    mute: () => {
      muted = true;
    },
    cut,
    close: async () => {
      cut();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
