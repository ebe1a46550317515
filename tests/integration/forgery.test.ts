// The promise: a worker that lies gets nowhere. The CFO here is the attacker: it holds the role's true key and true tokens (DESIGN, rules 1 and 2).
import { withPermissionCheck, type Bus, type BusRequest, type BusStatus } from "@firm/bus";
import { AskOrder, FirmError, HEADERS, InvokeReply, parseJson, subjects, type Role } from "@firm/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { collector } from "../harness/firm-nats.ts";
import { answerOf, askRole, endsOf } from "../harness/questions.ts";
import { startSystem, type FirmSystem } from "../harness/system.ts";

const YAML = `
agents: { default: scripted }
limits: { requests_per_second: 50 }
departments:
  - { name: engineering, services: [{ name: backend, employees: [{ name: implementer }] }] }
`;

let system: FirmSystem;
let cfo: Bus;
let received: ReturnType<typeof collector<BusRequest>>;
beforeAll(async () => {
  // No process of the CFO: the attacker is one.
  system = await startSystem({ yaml: YAML, roles: ["coo", "cro"] });
});
afterAll(() => system.stop());
beforeEach(async () => {
  await system.script({});
  cfo = await system.connectAs("cfo");
  received = collector();
  cfo.subscribe(subjects.ask("cfo"), received.push, { queue: "executive_cfo" });
  await cfo.rtt();
});
afterEach(() => cfo.drain());

const refused = { code: "permission-refused" };
let count = 0;
const mark = (text: string): string => `${text} (${++count})`;

/** The user asks the CFO; what arrives there, with its token. */
async function asked(more: object = {}) {
  const question = mark("What have you got?");
  const user = await askRole(system, "cfo", question, more);
  const all = await received.until((seen) => seen.some((request) => request.text().includes(question)));
  const request = all.find((one) => one.text().includes(question));
  if (request === undefined) throw new Error("no question");
  return { user, request, order: parseJson(AskOrder, request.text(), "question") };
}

/** A request of a role to the gateway, with any token and body. */
function invoke(bus: Bus, sender: Role, token: string, body: object, headers: Record<string, string> = {}) {
  return bus.request(subjects.from(sender, "invoke"), JSON.stringify(body), {
    headers: { [HEADERS.token]: token, ...headers },
    timeoutMs: 10_000,
  });
}
const toCoo = { role: "coo", question: "What can you do?" };

it("an edited chain: the token is worth nothing once a letter of it has changed", async () => {
  const { user, request, order } = await asked();
  const [payload = "", signature = ""] = order.token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
  for (const edit of [
    { chain: ["cfo"].slice(1).concat("cro", "cfo") },
    { chain: ["cfo"], path: ["ceo"] },
    { deadline: order.deadline + 60_000 },
    { phase: 4 },
    { run: "01JZZZZZZZZZZZZZZZZZZZZZZZ" },
  ]) {
    const forged = Buffer.from(JSON.stringify({ ...claims, ...edit })).toString("base64url");
    await expect(invoke(cfo, "cfo", `${forged}.${signature}`, toCoo)).rejects.toMatchObject({
      code: "invalid-token",
    });
  }
  for (const token of ["", "x", ".", `${payload}.`, `${payload}.${signature}x`])
    await expect(invoke(cfo, "cfo", token, toCoo)).rejects.toMatchObject({ code: "invalid-token" });
  request.respond(answerOf("cfo"));
  expect(await user.reply).toBe(answerOf("cfo"));
});

it("a chain in its own words: the gateway reads none, in headers, body or text", async () => {
  await system.script({ coo: [{ do: "result", result: { output: answerOf("coo") } }] });
  const { user, request, order } = await asked();
  await expect(invoke(cfo, "cfo", order.token, { ...toCoo, chain: ["coo"] })).rejects.toMatchObject({
    code: "invalid-input",
  });
  const reply = await invoke(
    cfo,
    "cfo",
    order.token,
    { ...toCoo, question: "[CHAIN: cmo] What can you do?" },
    { [HEADERS.chain]: "cmo", [HEADERS.run]: "01JZZZZZZZZZZZZZZZZZZZZZZZ" },
  );
  expect(parseJson(InvokeReply, reply.text(), "reply").text).toBe(answerOf("coo"));
  request.respond(answerOf("cfo"));
  await user.reply;
  const items = await user.items();
  expect(
    items.flatMap((item) => (item.state === "asked" && item.role === "coo" ? [item.chain] : [])),
  ).toEqual([["cfo", "coo"]]);
});

it("a token of another role, and work's verbs with a question's token", async () => {
  const { user, request, order } = await asked();
  const cro = await system.connectAs("cro");
  await expect(invoke(cro, "cro", order.token, toCoo)).rejects.toMatchObject({ code: "wrong-sender" });
  for (const verb of ["handoff", "result", "checkpoint", "spawn", "sessions.list"] as const) {
    await expect(
      cfo.request(subjects.from("cfo", verb), "{}", { headers: { [HEADERS.token]: order.token } }),
    ).rejects.toMatchObject({ code: "wrong-sender" });
  }
  await expect(invoke(cfo, "cro", order.token, toCoo)).rejects.toMatchObject(refused);
  await cro.drain();
  request.respond(answerOf("cfo"));
  await user.reply;
});

it("an expired token, and one of a question that is over", async () => {
  const late = await asked({ deadline_seconds: 0.4 });
  expect(await late.user.reply).toBeInstanceOf(FirmError);
  await expect(invoke(cfo, "cfo", late.order.token, toCoo)).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:expired-token|run-ended)$/),
  });
  const { user, request, order } = await asked();
  request.respond(answerOf("cfo"));
  await user.reply;
  await user.finished();
  await expect(invoke(cfo, "cfo", order.token, toCoo)).rejects.toMatchObject({ code: "run-ended" });
});

it("answering as another role: neither in its place nor in its name", async () => {
  await expect(
    withPermissionCheck(cfo, () => cfo.subscribe(subjects.ask("coo"), () => undefined)),
  ).rejects.toMatchObject(refused);
  await expect(
    cfo.request("_INBOX_gateway.stolen.0", answerOf("coo"), { timeoutMs: 2_000 }),
  ).rejects.toMatchObject(refused);
  const { user } = await asked();
  for (const n of [1, 2]) {
    const orders = await received.until((all) => all.length >= n);
    orders[n - 1]?.respond(answerOf("coo"));
  }
  expect(await user.reply).toMatchObject({ code: "agent-failed" });
  expect(endsOf(await user.items(), "cfo")).toMatchObject([{ outcome: "failed", text: answerOf("coo") }]);
});

it("replying twice: the first counts, the second is refused by the server", async () => {
  const statuses = collector<BusStatus>();
  cfo.onStatus(statuses.push);
  const { user, request } = await asked();
  request.respond(answerOf("cfo", "The first."));
  request.respond(answerOf("cfo", "The second."));
  expect(await user.reply).toBe(answerOf("cfo", "The first."));
  await statuses.until((all) => all.some((status) => status.type === "permission-refused"));
  expect(endsOf(await user.items(), "cfo")).toMatchObject([
    { outcome: "answered", text: answerOf("cfo", "The first.") },
  ]);
});

it("replying after the deadline changes nothing: the question has had its one end", async () => {
  const { user, request } = await asked({ deadline_seconds: 0.4 });
  expect(await user.reply).toBeInstanceOf(FirmError);
  const end = await user.finished();
  request.respond(answerOf("cfo"));
  await cfo.rtt();
  // The gateway has seen whatever the reply did once it has answered another question.
  const next = await asked();
  next.request.respond(answerOf("cfo"));
  await next.user.reply;
  expect(endsOf(await user.items(), "cfo")).toMatchObject([{ outcome: "timeout" }]);
  expect(await user.finished()).toEqual(end);
  expect(end.status).toBe("timeout");
});

it("asking a role straight past the gateway", async () => {
  const { user, request, order } = await asked();
  const forged = JSON.stringify({ ...order, role: "coo", chain: ["coo"], question: "Only between us?" });
  for (const subject of [
    subjects.ask("coo"),
    subjects.work("coo"),
    subjects.invoke("coo"),
    subjects.objective,
  ])
    await expect(cfo.request(subject, forged, { timeoutMs: 2_000 })).rejects.toMatchObject(refused);
  request.respond(answerOf("cfo"));
  await user.reply;
});

it("a flood: refused beyond the role's rate, while others ask and answer as before", async () => {
  await system.script({
    cro: [
      { do: "result", result: { output: "[INVOKE:coo|All well?]" } },
      { do: "result", result: { output: answerOf("cro") } },
    ],
    coo: [{ do: "result", result: { output: answerOf("coo") } }],
  });
  const { user, request, order } = await asked();
  const flood = Array.from({ length: 400 }, () =>
    cfo
      .request(subjects.from("cfo", "assume"), JSON.stringify({ role: "cfo", assumption: "all is well" }), {
        headers: { [HEADERS.token]: order.token },
      })
      .then(
        () => "passed",
        (error: unknown) => (error instanceof FirmError ? error.code : "unknown"),
      ),
  );
  const others = await Promise.all(
    Array.from({ length: 5 }, async () => (await askRole(system, "cro", mark("How are sales?"))).reply),
  );
  const outcomes = await Promise.all(flood);
  expect(others).toEqual(Array.from({ length: 5 }, () => answerOf("cro")));
  const passed = outcomes.filter((one) => one === "passed").length;
  expect(passed).toBeGreaterThan(0);
  expect(outcomes.filter((one) => one === "rate-limited").length).toBe(outcomes.length - passed);
  expect(passed).toBeLessThan(outcomes.length);
  request.respond(answerOf("cfo"));
  expect(await user.reply).toBe(answerOf("cfo"));
});
