// Pure: where everything under `.firm` lies.
import { join } from "node:path";

/** The files of one firm; `home` is the directory that holds `.firm`. */
export interface FirmPaths {
  readonly home: string;
  /** `.firm` itself. */
  readonly state: string;
  /** JetStream's store; nothing else writes there. */
  readonly natsStore: string;
  /** Version of the newest server that wrote the store. */
  readonly natsVersion: string;
  readonly natsConfig: string;
  readonly natsPid: string;
  readonly natsPort: string;
  readonly natsLog: string;
  readonly creds: string;
  readonly tokenKey: string;
  readonly logs: string;
  /** Compiled code of the firm's processes. */
  readonly compileCache: string;
  readonly http: string;
  readonly lock: string;
  readonly supervisor: string;
  /** Prometheus' file_sd of all processes. */
  readonly targets: string;
  /** The configuration in force where an option changed firm.yaml's. */
  readonly effectiveConfig: string;
  readonly supervisorLog: string;
}

/** The layout below a directory. */
export function pathsOf(home: string): FirmPaths {
  const state = join(home, ".firm");
  const creds = join(state, "creds");
  const logs = join(state, "logs");
  const nats = join(state, "nats");
  return {
    home,
    state,
    natsStore: join(nats, "store"),
    natsVersion: join(nats, "store-version"),
    natsConfig: join(nats, "nats-server.conf"),
    natsPid: join(nats, "nats-server.pid"),
    natsPort: join(nats, "port"),
    natsLog: join(logs, "nats-server.log"),
    creds,
    tokenKey: join(creds, "token.key"),
    logs,
    compileCache: join(state, "cache"),
    http: join(state, "http"),
    lock: join(state, "supervisor.lock"),
    supervisor: join(state, "supervisor.json"),
    targets: join(state, "targets.json"),
    effectiveConfig: join(state, "firm.effective.yaml"),
    supervisorLog: join(logs, "supervisor.log"),
  };
}
