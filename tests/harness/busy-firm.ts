// Owns a firm that goes through all that its metrics tell of: runs good and bad, a lost worker, a missed deadline, a cut connection.
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { renderAuthorization } from "@firm/config";
import {
  EXECUTIVE_ROLES,
  FIRM_IDENTITIES,
  HEADERS,
  subjects,
  type Identity,
  type LoggedEvent,
  type Role,
} from "@firm/protocol";
import { firstWorkOf } from "./play.ts";
import { answerOf, askRole } from "./questions.ts";
import { startSystem, type FirmSystem } from "./system.ts";

const IMPLEMENTER = "employee:implementer";
const ENGINEERING = { departments: ["engineering"] };
const YAML = `
agents: { default: scripted }
bus: { ack_wait_seconds: 1 }
departments:
  - { name: engineering, services: [{ name: backend, employees: [{ name: implementer }] }] }
  - { name: quality, services: [{ name: testing, employees: [{ name: auditor }] }] }
`;
const ROLES: readonly Role[] = [
  "ceo",
  "department:engineering",
  "service:backend",
  IMPLEMENTER,
  "department:quality",
  "service:testing",
  "employee:auditor",
  "cfo",
  "cro",
  "mentor",
];
/** Two gateways: what both see must not count twice. */
const GATEWAYS = 2;
export const PROCESSES = ROLES.length + GATEWAYS;

export interface BusyFirm {
  readonly system: FirmSystem;
  /** Targets for Prometheus, as the supervisor writes them. */
  readonly targets: string;
  /** Names of processes, for a look at each kind. */
  readonly names: readonly string[];
  /** A run that is delivered within its budgets, with 100 tokens in, 20 out and half a dollar. */
  deliver(): Promise<void>;
  /** A question that goes in a circle, and what is assumed instead. */
  askInCircles(): Promise<void>;
  /** A blocked department and its joint session; then an agent that fails. */
  stumble(): Promise<void>;
  /** A board meeting up to the founder's approval. */
  meet(): Promise<void>;
  /** Three bad requests of users: an objective, a control, a question. */
  misuse(): Promise<void>;
  /** A worker that dies at work; the next one does it. */
  loseWorker(): Promise<void>;
  /** Work that no worker takes, until its deadline; `meanwhile` is awaited while it waits. */
  leaveWaiting(meanwhile: () => Promise<void>): Promise<void>;
  /** A second result for work that has ended. */
  bringLate(): Promise<void>;
  /** A restart of nats-server, with other permissions for one role. */
  restartNats(): Promise<void>;
}

/** Starts it. */
export async function startBusyFirm(): Promise<BusyFirm> {
  const system = await startSystem({ yaml: YAML, roles: ROLES, gateways: GATEWAYS });
  const targets = join(system.directory, "targets.json");
  const list = async (): Promise<void> => {
    const names = ["gateway", ...ROLES];
    const groups = await Promise.all(
      names
        .flatMap((name) => system.processesOf(name).map((one) => ({ name, one })))
        .map(async ({ name, one }) => ({
          targets: [await one.http()],
          labels: { job: "firm", process: name },
        })),
    );
    // Whole at every moment: Prometheus reads it when it changes.
    await writeFile(`${targets}.new`, JSON.stringify(groups));
    await rename(`${targets}.new`, targets);
  };
  await list();
  const ended = (all: readonly LoggedEvent[], role: Role): boolean =>
    all.some(({ event }) => event.type === "end" && event.role === role);
  const run = async (steps: object, body: object): Promise<string> => {
    await system.script(steps);
    const accepted = await system.objective({ objective: "Build a payment API", ...ENGINEERING, ...body });
    return accepted.run;
  };
  const refused = async (request: Promise<unknown>): Promise<void> => {
    const answer = await request.then(
      () => "served",
      () => undefined,
    );
    if (answer !== undefined) throw new Error("a bad request was served");
  };
  const killImplementers = async (): Promise<void> => {
    await Promise.all(system.processesOf(IMPLEMENTER).map((one) => one.kill("SIGKILL")));
  };
  const heal = async (): Promise<void> => {
    await system.heal();
    await list();
  };
  return {
    system,
    targets,
    names: ["gateway", ...ROLES],
    deliver: async () => {
      const usage = { input_tokens: 100, output_tokens: 20, usd: 0.5 };
      const built = { do: "result", result: { output: "Built.", usage } };
      await system.finished(await run({ [IMPLEMENTER]: [built] }, { budget: { usd: 1, spawns: 10 } }));
    },
    askInCircles: async () => {
      const says = (output: string): object => ({ do: "result", result: { output } });
      await system.script({
        cro: [says("[INVOKE:cfo|Runway?]"), says(answerOf("cro"))],
        cfo: [
          says("[INVOKE:cro|Deals?]"),
          says(`State assumption used instead: [deals stay flat]\n\n${answerOf("cfo")}`),
        ],
      });
      const asked = await askRole(system, "cro", "Watched?");
      await asked.reply;
      await asked.items();
    },
    stumble: async () => {
      const blocked = { do: "blocked", by: "department:quality", reason: "no test plan" };
      await system.finished(await run({ "department:engineering": [blocked, { do: "result" }] }, {}));
      await system.finished(await run({ [IMPLEMENTER]: [{ do: "fail" }] }, { deadline_seconds: 5 }));
    },
    meet: async () => {
      const board = { kind: "board", board: { roles: ["ceo", "cfo", "cro"] }, departments: undefined };
      const meeting = await run({}, board);
      await system.events(meeting, (all) =>
        all.some(({ event }) => event.type === "board" && event.state === "awaiting-decision"),
      );
      await system.user.request(subjects.control(meeting, "approve"), "");
      await system.finished(meeting);
    },
    misuse: async () => {
      await refused(system.objective({ objective: "" }));
      await refused(system.user.request(subjects.control("01HZZZZZZZZZZZZZZZZZZZZZZZ", "cancel"), ""));
      await refused(system.user.request(subjects.invoke("nobody"), "Who are you?"));
    },
    loseWorker: async () => {
      const id = await run({ [IMPLEMENTER]: [{ do: "crash" }, { do: "result" }] }, { deadline_seconds: 60 });
      const [worker] = system.processesOf(IMPLEMENTER);
      // A signal that changes nothing: resolves once the process is gone.
      await worker?.kill("SIGCONT");
      await heal();
      await system.finished(id);
    },
    leaveWaiting: async (meanwhile) => {
      await killImplementers();
      const id = await run({}, { deadline_seconds: 8 });
      await meanwhile();
      await system.finished(id);
      await heal();
    },
    bringLate: async () => {
      await killImplementers();
      const id = await run({}, { deadline_seconds: 30 });
      const { bus, order, delivery } = await firstWorkOf(system, IMPLEMENTER);
      const bring = (output: string): Promise<unknown> =>
        bus.request(
          subjects.from(IMPLEMENTER, "result"),
          JSON.stringify({ status: "ok", objective_key: order.objective_key, summary: "", output }),
          { headers: { [HEADERS.token]: order.token } },
        );
      await bring("Built.");
      await system.events(id, (all) => ended(all, IMPLEMENTER));
      await refused(bring("Built better."));
      await delivery.ack();
      await system.finished(id);
      await heal();
    },
    restartNats: async () => {
      const identities: Identity[] = [...FIRM_IDENTITIES, ...system.chart.roles, ...EXECUTIVE_ROLES];
      const users = identities.map((identity) => ({
        identity,
        publicKey: system.keyOf(identity).publicKey,
      }));
      const config = renderAuthorization(users, system.chart.roles);
      await system.server.kill();
      await system.server.start(config.replaceAll(subjects.toAll("cfo"), "firm.to.executive.nobody.>"));
    },
  };
}
