// The promise: any NATS client uses the firm as it is: it starts runs in each of the three forms, follows them, and finds every process.
import { execFileSync } from "node:child_process";
import { DISCLAIMER, ObjectiveReply, parseJson, WireError, type RunEvent } from "@firm/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { cliHome, type CliHome } from "../harness/cli.ts";
import { foreignClients, type ForeignEnv, type Listening } from "../harness/foreign-client.ts";

let home: CliHome;
let env: ForeignEnv;
beforeAll(async () => {
  home = await cliHome();
  const up = await home.run(["up", "--detach", "--all"]);
  if (up.code !== 0) throw new Error(up.stderr);
  const exported = (await home.run(["env"])).stdout;
  const [NATS_URL = "", NATS_NKEY = ""] = execFileSync("/bin/sh", [
    "-c",
    `${exported}\nprintf '%s\\n%s' "$NATS_URL" "$NATS_NKEY"`,
  ])
    .toString()
    .split("\n");
  env = { NATS_URL, NATS_NKEY, HOME: home.dir };
});
afterAll(async () => {
  await home.run(["down"]);
  await home.remove();
});

/** The seed's own words (firm-orchestration, "Usage"). */
const BLOCK = `@firm-orchestration run
  objective: "Build a payment API"
  departments: ["engineering", "quality"]
  delivery_format: "github_pr"`;
const PYRAMID = ["strategy", "engineering", "quality", "operations"];

interface Form {
  readonly what: string;
  readonly body: (mark: string) => string;
  readonly departments: readonly string[];
  readonly format: string;
  readonly session: string;
}
const FORMS: readonly Form[] = [
  {
    what: "plain text",
    body: (mark) => `Build a payment API ${mark}`,
    departments: PYRAMID,
    format: "markdown_report",
    session: "main",
  },
  {
    what: "JSON",
    body: (mark) =>
      JSON.stringify({
        objective: `Build a payment API ${mark}`,
        departments: ["quality", "strategy"],
        constraints: ["read-only access only"],
        delivery_format: "json",
        reply_session: "desk:42",
        deadline_seconds: 25,
      }),
    departments: ["strategy", "quality"],
    format: "json",
    session: "desk:42",
  },
  {
    what: "the skill's own block",
    body: (mark) => BLOCK.replace("payment API", `payment API ${mark}`),
    departments: ["engineering", "quality"],
    format: "github_pr",
    session: "main",
  },
];

const Discovered = z.object({
  type: z.string(),
  name: z.string(),
  id: z.string(),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  metadata: z.record(z.string(), z.string()),
  endpoints: z
    .array(z.object({ name: z.string(), subject: z.string(), num_requests: z.number().optional() }))
    .default([]),
});
const Status = z.object({ processes: z.array(z.object({ name: z.string(), pid: z.number() })) });
const History = z.array(z.object({ from: z.string(), kind: z.string(), text: z.string() }));

type Finished = Extract<RunEvent, { type: "finished" }>;

const isEndOf =
  (run: string) =>
  (event: RunEvent): event is Finished =>
    event.type === "finished" && event.run === run;

async function heardOf(
  listening: Listening,
  run: string,
): Promise<{ all: readonly RunEvent[]; end: Finished }> {
  const heard = await listening.events((events) => events.some(isEndOf(run)));
  const end = heard.find(isEndOf(run));
  if (end === undefined) throw new Error("no end");
  return { all: heard.filter((event) => event.run === run), end };
}

function expectDelivered({ all, end }: { all: readonly RunEvent[]; end: Finished }, form: Form): void {
  expect(all[0]).toMatchObject({ type: "accepted" });
  const handoffsIn = (type: "handoff" | "end"): string[] =>
    all
      .flatMap((event) => (event.type === type && event.handoff !== "root" ? [event.handoff] : []))
      .toSorted();
  expect(handoffsIn("handoff").length).toBeGreaterThanOrEqual(3 * form.departments.length);
  expect(handoffsIn("end")).toEqual(handoffsIn("handoff"));
  expect(end).toMatchObject({ status: "delivered", deliverable: { format: form.format } });
  expect(end.deliverable?.departments.map(({ role }) => role)).toEqual(
    form.departments.map((name) => `department:${name}`),
  );
  expect(end.deliverable?.body).toContain(DISCLAIMER);
}

describe.each(foreignClients())("$name", (client) => {
  let listening: Listening;
  beforeAll(async () => {
    listening = await client.sub(env, "firm.run.>");
  });
  afterAll(() => listening.stop());

  it.each(FORMS)(
    "$what, published: a run that its subscriber sees from its acceptance to its deliverable",
    async (form) => {
      const mark = `(${form.what}, published by ${client.name})`;
      await client.pub(env, "firm.objective", form.body(mark));
      const isOurs = (event: RunEvent): boolean =>
        event.type === "accepted" && event.objective.objective === `Build a payment API ${mark}`;
      const accepted = (await listening.events((all) => all.some(isOurs))).find(isOurs);
      expectDelivered(await heardOf(listening, accepted?.run ?? ""), form);
    },
  );

  it.each(FORMS)(
    "$what, requested: the answer names the run; the session that asked holds both",
    async (form) => {
      const mark = `(${form.what}, requested by ${client.name})`;
      const answer = await client.req(env, "firm.objective", form.body(mark));
      const reply = parseJson(ObjectiveReply, answer, "answer");
      expect(reply.status).toBe("accepted");
      const heard = await heardOf(listening, reply.run);
      expectDelivered(heard, form);
      expect((await home.run(["show", reply.run])).stdout.trim()).toBe(heard.end.deliverable?.body.trim());

      const shown = await home.run(["sessions", "--history", form.session, "--json"]);
      const messages = History.parse(JSON.parse(shown.stdout));
      const at = messages.findIndex(({ text }) => text === `Build a payment API ${mark}`);
      expect(messages.slice(at, at + 2)).toEqual([
        { from: "user", kind: "objective", text: `Build a payment API ${mark}` },
        { from: "ceo", kind: "deliverable", text: heard.end.deliverable?.body },
      ]);
      const others = FORMS.filter(({ session }) => session !== form.session);
      for (const { what } of others) {
        expect(messages.filter(({ text }) => text.includes(`(${what}, `))).toEqual([]);
      }
    },
  );

  it("a bad objective is answered with the field that is wrong", async () => {
    const answer = await client.req(env, "firm.objective", '{"objective": "x", "departments": ["nope"]}');
    expect(parseJson(WireError, answer, "answer").error).toMatchObject({
      code: "invalid-input",
      field: "departments.0",
      message: expect.stringContaining('no department "nope"'),
    });
  });

  it("discovery finds every process, what it serves, and what it has done", async () => {
    const status = await home.run(["status", "--json"]);
    const processes = Status.parse(JSON.parse(status.stdout)).processes.filter(
      ({ name }) => name !== "nats-server",
    );
    const names = processes.map(({ name }) => `firm-${name.replace(":", "-")}`).toSorted();
    expect(names).toHaveLength(14);

    const kinds = { PING: "ping", INFO: "info", STATS: "stats" };
    const found = new Map<string, z.infer<typeof Discovered>[]>();
    for (const [verb, kind] of Object.entries(kinds)) {
      const answers = (await client.all(env, `$SRV.${verb}`, names.length)).map((text) =>
        parseJson(Discovered, text, verb),
      );
      expect(answers.map(({ name }) => name).toSorted()).toEqual(names);
      expect(new Set(answers.map(({ id }) => id)).size).toBe(names.length);
      for (const { type } of answers) expect(type).toBe(`io.nats.micro.v1.${kind}_response`);
      found.set(verb, answers);
    }
    const infoOf = new Map(found.get("INFO")?.map((one) => [one.metadata["role"], one]));
    expect(infoOf.get("department:quality")?.endpoints).toContainEqual({
      name: "work",
      subject: "firm.work.department.quality",
    });
    // Everybody has had something to do by now.
    for (const { name, endpoints } of found.get("STATS") ?? [])
      expect(`${name} ${endpoints.some(({ num_requests = 0 }) => num_requests > 0)}`).toBe(`${name} true`);

    const listed = await client.micro(env);
    for (const name of names) expect(listed).toContain(name);
  });
});
