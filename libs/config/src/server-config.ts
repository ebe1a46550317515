// Pure: the nats-server configuration text with an nkey and permissions for each identity (DESIGN "Never": the local default
// enforces the same permissions as production).
import { FirmError, type Identity, type Role } from "@firm/protocol";
import { permissionsOf, type Permissions } from "./permissions.ts";

export interface ServerUser {
  readonly identity: Identity;
  /** Public user nkey, `U…`. */
  readonly publicKey: string;
}

export interface ServerConfigOptions {
  /** Address to listen on, e.g. 127.0.0.1. */
  readonly host: string;
  /** -1: any free port. */
  readonly port: number;
  /** Directory of JetStream's files. */
  readonly storeDir: string;
  /** Most bytes JetStream may hold on disk; without it the server takes 75 % of what is free, and limits of streams count against that. */
  readonly maxFileStore?: number;
  /** Largest message, bytes; default 1 MiB as the server's. */
  readonly maxPayload?: number;
  /** Port of the server's own monitoring; absent: none. */
  readonly httpPort?: number;
  /** Directory where the server writes its bound ports, for port -1. */
  readonly portsFileDir?: string;
  readonly pidFile?: string;
  readonly users: readonly ServerUser[];
  /** Roles of the org chart. */
  readonly roles: readonly Role[];
}

const DEFAULT_MAX_PAYLOAD = 1_048_576;
const USER_KEY = /^U[A-Z2-7]{55}$/;

/** A string in the server's syntax; JSON's escapes are a subset of it. */
const quote = (text: string): string => JSON.stringify(text);

function list(subjects: readonly string[]): string {
  return `[${subjects.map(quote).join(", ")}]`;
}

function userBlock({ identity, publicKey }: ServerUser, permissions: Permissions): string {
  if (!USER_KEY.test(publicKey))
    throw new FirmError("invalid-config", `the nkey of ${identity} is no public user key`, {
      field: "users",
    });
  const { allowResponses } = permissions;
  const responses =
    allowResponses === undefined
      ? ""
      : `\n        allow_responses: { max: ${allowResponses.max}, expires: ${quote(allowResponses.expires)} }`;
  return `    # ${identity}
    {
      nkey: ${publicKey}
      permissions: {
        publish: { allow: ${list(permissions.publish)} }
        subscribe: { allow: ${list(permissions.subscribe)} }${responses}
      }
    }`;
}

/**
 * The whole configuration file.
 * @throws FirmError `invalid-config` for a key that is none.
 */
export function renderServerConfig(options: ServerConfigOptions): string {
  const { host, port, storeDir, maxFileStore, httpPort, portsFileDir, pidFile, roles, users } = options;
  const lines = [
    `listen: ${quote(`${host}:${port}`)}`,
    `max_payload: ${options.maxPayload ?? DEFAULT_MAX_PAYLOAD}`,
    ...(httpPort === undefined ? [] : [`http: ${quote(`${host}:${httpPort}`)}`]),
    ...(portsFileDir === undefined ? [] : [`ports_file_dir: ${quote(portsFileDir)}`]),
    ...(pidFile === undefined ? [] : [`pid_file: ${quote(pidFile)}`]),
    `jetstream {`,
    `  store_dir: ${quote(storeDir)}`,
    ...(maxFileStore === undefined ? [] : [`  max_file_store: ${maxFileStore}`]),
    `}`,
    renderAuthorization(users, roles),
  ];
  return `${lines.join("\n")}\n`;
}

/** The `authorization` block alone, for a server that is configured elsewhere. */
export function renderAuthorization(users: readonly ServerUser[], roles: readonly Role[]): string {
  const blocks = users.map((user) => userBlock(user, permissionsOf(user.identity, roles)));
  return `authorization {\n  users: [\n${blocks.join("\n")}\n  ]\n}`;
}
