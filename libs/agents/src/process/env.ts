// Pure: which variables a child process may see. An allow-list: the firm's keys, tokens and addresses never reach a child.

/** What programs need to run at all, and nothing that authenticates. */
const ALLOWED = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TERM",
  "TMPDIR",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "JAVA_HOME",
  "GOPATH",
  "GOCACHE",
  "GOFLAGS",
  "GOPROXY",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "PYENV_ROOT",
  "VIRTUAL_ENV",
] as const;

/** Environment by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a child: the allow-list from `from`, then `extra` over it.
 * @param extra what this one child needs besides, e.g. the key of the agent that it runs
 */
export function childEnv(from: Env, extra: Env = {}): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    const allowed = (ALLOWED as readonly string[]).includes(name) || name.startsWith("LC_");
    if (allowed && value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) if (value !== undefined) env[name] = value;
  return env;
}
