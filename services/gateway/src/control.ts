// Owns what a user says to a run: cancel reaches the leaves (DESIGN, rule 10).
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
  if (known !== "cancel") {
    throw new FirmError("invalid-input", `a run like ${run} does not take "${verb}"; it takes: cancel`, {
      field: "verb",
    });
  }
  const body = request.text().trim();
  const { reason } =
    body === ""
      ? {}
      : parseJson(ControlRequest, body.startsWith("{") ? body : JSON.stringify({ reason: body }), "control");
  return { run, verb, status: await cancel(gateway, run, reason ?? "cancelled by the user") };
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
