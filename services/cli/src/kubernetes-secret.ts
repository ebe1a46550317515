// Owns credentials in a Kubernetes Secret: what is there is kept, what is missing is added, two jobs at once lose nothing.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FirmError } from "@firm/protocol";
import * as z from "zod";
import { errnoOf } from "./errors.ts";
import type { FirmPaths } from "./paths.ts";
import { writePrivate } from "./supervisor/credentials.ts";

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const REQUEST_MS = 10_000;
/** Another job may write in between. */
const TRIES = 10;

const Secret = z.object({
  metadata: z.object({ resourceVersion: z.string() }).loose(),
  data: z.record(z.string(), z.string()).optional(),
});
type Secret = z.infer<typeof Secret>;

export interface SecretPlace {
  readonly api: string;
  /** undefined: the pod's. */
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface SecretReport {
  readonly namespace: string;
  readonly change: "created" | "changed" | "unchanged";
  readonly entries: number;
}

/**
 * Brings the Secret and `.firm/creds` together.
 * @param files makes what is missing in `.firm/creds`, and returns all of it
 * @throws FirmError `permission-refused` where the service account may not, `storage-unavailable` where the API does not answer.
 */
export async function syncSecret(
  place: SecretPlace,
  paths: FirmPaths,
  files: () => Promise<Record<string, string>>,
): Promise<SecretReport> {
  const namespace = place.namespace ?? (await own("namespace")) ?? "default";
  const api = new SecretApi({ ...place, namespace }, await own("token"));
  for (let attempt = 1; ; attempt++) {
    const known = await api.get();
    await restore(paths, known);
    const wanted = await files();
    const data = Object.fromEntries(
      Object.entries(wanted).map(([name, text]) => [name, Buffer.from(text).toString("base64")]),
    );
    const entries = Object.keys(data).length;
    if (known !== undefined && isSame(known.data ?? {}, data))
      return { namespace, change: "unchanged", entries };
    if (await api.put(known, data))
      return { namespace, change: known === undefined ? "created" : "changed", entries };
    if (attempt === TRIES)
      throw new FirmError("storage-unavailable", `Secret ${namespace}/${place.name} changes all the time`);
    await sleep(100 * attempt);
  }
}

/** Writes the Secret's entries into `.firm/creds`, so that they are kept. */
async function restore(paths: FirmPaths, secret: Secret | undefined): Promise<void> {
  await mkdir(paths.creds, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(secret?.data ?? {})) {
    if (!/^[\w.-]+$/.test(name)) continue;
    await writePrivate(join(paths.creds, name), Buffer.from(value, "base64").toString("utf8"));
  }
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(b);
  return names.length === Object.keys(a).length && names.every((name) => a[name] === b[name]);
}

/** What the pod knows of itself; undefined outside one. */
async function own(name: "namespace" | "token"): Promise<string | undefined> {
  try {
    return (await readFile(join(SERVICE_ACCOUNT, name), "utf8")).trim();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

class SecretApi {
  readonly #place: SecretPlace & { readonly namespace: string };
  readonly #token: string | undefined;

  constructor(place: SecretPlace & { readonly namespace: string }, token: string | undefined) {
    this.#place = place;
    this.#token = token;
  }

  async get(): Promise<Secret | undefined> {
    const response = await this.#fetch("GET", this.#place.name);
    if (response.status === 404) return undefined;
    return Secret.parse(await this.#body(response));
  }

  /** @returns false where another has written in between */
  async put(known: Secret | undefined, data: Readonly<Record<string, string>>): Promise<boolean> {
    const { name, namespace } = this.#place;
    const base = { apiVersion: "v1", kind: "Secret", type: "Opaque", data };
    const response =
      known === undefined
        ? await this.#fetch("POST", "", { ...base, metadata: { name, namespace } })
        : await this.#fetch("PUT", name, { ...base, metadata: known.metadata });
    if (response.status === 409) return false;
    await this.#body(response);
    return true;
  }

  async #fetch(method: string, name: string, body?: object): Promise<Response> {
    const { api, namespace } = this.#place;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets${name === "" ? "" : `/${encodeURIComponent(name)}`}`;
    try {
      return await fetch(new URL(path, api), {
        method,
        headers: {
          "content-type": "application/json",
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
    } catch (cause) {
      throw new FirmError("storage-unavailable", `the Kubernetes API at ${api} does not answer`, {
        hint: "run this in a pod with a service account, and set NODE_EXTRA_CA_CERTS to its ca.crt",
        cause,
      });
    }
  }

  async #body(response: Response): Promise<unknown> {
    if (response.ok) return response.json();
    const { name, namespace } = this.#place;
    const code =
      response.status === 401 || response.status === 403 ? "permission-refused" : "storage-unavailable";
    throw new FirmError(
      code,
      `Secret ${namespace}/${name}: the API answers ${response.status} ${response.statusText}`,
      {
        hint: "the service account needs get, create and update on secrets",
      },
    );
  }
}
