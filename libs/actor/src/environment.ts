// The one place that reads the environment of a service process; read once, validated, frozen (STYLE, habit 8).
import { resolve } from "node:path";
import { FirmError, Role } from "@firm/protocol";
import * as z from "zod";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** `nats://host:port`, a comma list allowed. */
const NatsUrl = z
  .string()
  .transform((text) =>
    text
      .split(",")
      .map((server) => server.trim())
      .filter((server) => server !== ""),
  )
  .pipe(
    z
      .array(
        z
          .string()
          .regex(
            /^(?:(?:nats|tls|ws|wss):\/\/)?[^\s/]+$/,
            "must be nats://host:port, or several with commas",
          ),
      )
      .min(1, "must name a server"),
  );

const Variables = z.object({
  FIRM_NATS_URL: NatsUrl,
  FIRM_NKEY_FILE: z.string().optional(),
  FIRM_ROLE: Role.optional(),
  FIRM_CONFIG: z.string().optional(),
  FIRM_TOKEN_KEY_FILE: z.string().optional(),
  // 0: any free port, which suits many processes on one machine.
  FIRM_HTTP_PORT: z.coerce.number("must be a port, 0 to 65535").int().min(0).max(65_535).default(0),
  // Loopback: metrics are for this machine unless the operator says otherwise.
  FIRM_HTTP_HOST: z.string().default("127.0.0.1"),
  FIRM_HTTP_FILE: z.string().optional(),
  FIRM_LOG_LEVEL: z.enum(LOG_LEVELS).default("info"),
  FIRM_STATE_DIR: z.string().optional(),
  FIRM_PARENT_PIPE: z
    .enum(["0", "1"], "must be 1 (standard input is the supervisor's pipe) or 0")
    .default("0"),
});

const HINTS: Partial<Record<keyof z.infer<typeof Variables>, string>> = {
  FIRM_NATS_URL:
    "set it to the address of nats-server, e.g. nats://127.0.0.1:4222; `firm up` and `firm env` do that",
  FIRM_ROLE: "set it to the role that this process serves, e.g. department:engineering",
  FIRM_TOKEN_KEY_FILE: "set it to the file with the gateway's signing key; `firm up` writes one",
};

/** What a service process is told from outside. */
export interface Environment {
  /** Addresses of NATS servers. */
  readonly natsServers: readonly string[];
  /** File with the nkey seed; undefined: no authentication. */
  readonly nkeyFile: string | undefined;
  readonly role: Role | undefined;
  /** Path of firm.yaml; undefined: the defaults. */
  readonly configFile: string | undefined;
  /** The gateway's HMAC key. */
  readonly tokenKeyFile: string | undefined;
  readonly httpHost: string;
  /** 0: any free port. */
  readonly httpPort: number;
  /** Where to write the bound `host:port`. */
  readonly httpFile: string | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Absolute path of the firm's own directory. */
  readonly stateDir: string;
  /** Standard input is the supervisor's pipe; its end means that the supervisor is gone. */
  readonly parentPipe: boolean;
  /** All variables, for the agents' own keys and paths. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads and checks the environment; an empty variable counts as absent.
 * @throws FirmError `invalid-config` that names the variable and what to do.
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const present = Object.fromEntries(
    Object.entries(source).filter(([name, value]) => name.startsWith("FIRM_") && value !== ""),
  );
  const parsed = Variables.safeParse(present);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw variableError(String(issue?.path[0] ?? "FIRM_NATS_URL"), issue?.message ?? "is not valid", present);
  }
  const v = parsed.data;
  return Object.freeze({
    natsServers: Object.freeze(v.FIRM_NATS_URL),
    nkeyFile: v.FIRM_NKEY_FILE,
    role: v.FIRM_ROLE,
    configFile: v.FIRM_CONFIG,
    tokenKeyFile: v.FIRM_TOKEN_KEY_FILE,
    httpHost: v.FIRM_HTTP_HOST,
    httpPort: v.FIRM_HTTP_PORT,
    httpFile: v.FIRM_HTTP_FILE,
    logLevel: v.FIRM_LOG_LEVEL,
    stateDir: resolve(v.FIRM_STATE_DIR ?? ".firm"),
    parentPipe: v.FIRM_PARENT_PIPE === "1",
    variables: Object.freeze({ ...source }),
  });
}

/** The error for a variable that is missing or wrong. */
export function variableError(
  name: string,
  problem: string,
  present: Record<string, string | undefined> = process.env,
): FirmError {
  const what = present[name] === undefined ? "is not set" : problem;
  const hint = HINTS[name as keyof typeof HINTS];
  return new FirmError("invalid-config", `${name} ${what}${hint === undefined ? "" : `: ${hint}`}`, {
    field: name,
    ...(hint === undefined ? {} : { hint }),
  });
}
