// Owns `firm credentials`: nkeys, signing key and nats-server configuration for a deployment, as files or as a Kubernetes Secret.
import type { Command } from "commander";
import { FirmError } from "@firm/protocol";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { contextOf, exiting, print, type Context } from "./context.ts";

export interface CredentialsOptions {
  natsHost: string;
  natsPort: string;
  natsHttpPort?: string;
  natsStore: string;
  kubernetesSecret?: string;
  kubernetesApi: string;
  kubernetesNamespace?: string;
}

const HELP = `
Files, in .firm/creds: <identity>.nk (one seed for each role, the gateway, the operator and the user), token.key (the
gateway's signing key), nats-server.conf (the whole configuration) and nats-authorization.conf (its users and permissions
alone). What is there is kept, so it is safe to repeat; a role that is new in firm.yaml gets its own.

Examples:
  $ firm --dir /run/firm credentials --nats-store /data/jetstream
  $ firm credentials --kubernetes-secret firm-credentials     # inside a pod that may read and write that Secret`;

export function addCredentials(program: Command): void {
  program
    .command("credentials")
    .description("make the credentials and the nats-server configuration of a deployment")
    .option("--nats-host <address>", "address nats-server listens on", "0.0.0.0")
    .option("--nats-port <port>", "port nats-server listens on", "4222")
    .option("--nats-http-port <port>", "port of nats-server's monitoring (default: none)")
    .option("--nats-store <directory>", "directory of JetStream's files", "/data/jetstream")
    .option("--kubernetes-secret <name>", "keep them in this Secret as well, with the pod's service account")
    .option("--kubernetes-api <url>", "address of the API server", "https://kubernetes.default.svc")
    .option("--kubernetes-namespace <name>", "namespace of the Secret (default: the pod's)")
    .addHelpText("after", HELP)
    .action(
      exiting(async (options: CredentialsOptions, command: Command) =>
        credentials(options, contextOf(command)),
      ),
    );
}

async function credentials(options: CredentialsOptions, { paths, global }: Context): Promise<ExitCode> {
  const [{ deploymentFiles }, { loadConfig }] = await Promise.all([
    import("../deployment-files.ts"),
    import("../home.ts"),
  ]);
  const { config } = await loadConfig(paths, global);
  const nats = {
    host: options.natsHost,
    port: port("--nats-port", options.natsPort),
    storeDir: options.natsStore,
    ...(options.natsHttpPort === undefined
      ? {}
      : { httpPort: port("--nats-http-port", options.natsHttpPort) }),
  };
  const name = options.kubernetesSecret;
  if (name === undefined) {
    const files = await deploymentFiles(paths, config, nats);
    print(`${Object.keys(files).length} files in ${paths.creds}`);
    return EXIT.delivered;
  }
  const { syncSecret } = await import("../kubernetes-secret.ts");
  const report = await syncSecret(
    { api: options.kubernetesApi, namespace: options.kubernetesNamespace, name },
    paths,
    () => deploymentFiles(paths, config, nats),
  );
  print(`Secret ${report.namespace}/${name} ${report.change}: ${report.entries} entries`);
  return EXIT.delivered;
}

function port(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value < 65_536) return value;
  throw new FirmError("invalid-input", `${option}: "${text}" is not a port, 1 to 65535`, { field: option });
}
