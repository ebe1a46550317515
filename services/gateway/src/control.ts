// Owns what a user says to a run: cancel reaches the leaves (DESIGN, rule 10); a board takes the founder's word (board meeting, phase 5).
import type { BusRequest } from "@firm/bus";
import {
  CONTROL_VERBS,
  ControlRequest,
  FirmError,
  isRunId,
  parseJson,
  subjects,
  type ControlReply,
} from "@firm/protocol";
import { FOUNDER_VERBS } from "@firm/orchestration";
import { decide, resume } from "./board.ts";
import type { Gateway } from "./deps.ts";
import { finishWithWhatIsThere } from "./finish.ts";
import { endUnlessEnded } from "./results.ts";
import { openHandoffs } from "./view.ts";

/** Serves `firm.control.<run>.<verb>`. */
export async function control(gateway: Gateway, request: BusRequest): Promise<ControlReply> {
  const [, , run = "", verb = ""] = request.subject.split(".");
  if (!isRunId(run))
    throw new FirmError("unknown-run", `"${run}" is not a run id`, {
      field: "run",
      hint: "firm runs lists them",
    });
  const known = CONTROL_VERBS.find((name) => name === verb);
  const body = request.text().trim();
  const said =
    body === ""
      ? {}
      : parseJson(ControlRequest, body.startsWith("{") ? body : JSON.stringify({ text: body }), "control");
  const text = said.text ?? said.reason;
  if (known === "cancel")
    return {
      run,
      verb,
      status: await cancel(gateway, run, text?.slice(0, 2_000) ?? "cancelled by the user"),
    };
  const view = await gateway.ledger.must(run);
  const founder = FOUNDER_VERBS.find((name) => name === known);
  if (view.kind === "board" && founder !== undefined)
    return { run, verb, status: await decide(gateway, view, founder, text ?? "") };
  if (view.kind === "board" && known === "resume") return { run, verb, status: await resume(gateway, view) };
  const takes = view.kind === "board" ? ["cancel", "resume", ...FOUNDER_VERBS] : ["cancel"];
  throw new FirmError(
    "invalid-input",
    `a run like ${run} does not take "${verb}"; it takes: ${takes.join(", ")}`,
    {
      field: "verb",
    },
  );
}

/** Marks the run, stops its workers, ends what is open. Saying it twice is no error. */
async function cancel(gateway: Gateway, run: string, reason: string): Promise<string> {
  const view = await gateway.ledger.must(run);
  if (view.finished !== undefined) {
    if (view.finished.status === "cancelled") return "cancelled";
    throw new FirmError("run-ended", `run ${run} has ended already: ${view.finished.status}`, {
      field: "run",
    });
  }
  await gateway.ledger.append(
    { type: "control", run, at: gateway.now(), verb: "cancel", reason },
    { msgId: `${run}.cancel` },
  );
  gateway.bus.publish(subjects.stop(run), reason);
  const open = openHandoffs(view);
  await finishWithWhatIsThere(gateway, view, "cancelled", reason);
  await Promise.all(
    open.map((handoff) =>
      endUnlessEnded(gateway, view, handoff, {
        status: "cancelled",
        attempt: handoff.attempt,
        result: handoff.checkpoint?.result,
        reason,
      }),
    ),
  );
  return "cancelled";
}
