import { FirmError, HEADERS } from "@firm/protocol";
import { describe, expect, it } from "vitest";
import { errorReply } from "./errors.ts";
import { mayReplyTo, toClientHeaders } from "./message.ts";

describe("mayReplyTo", () => {
  it.each(["_INBOX.abc.0", "_INBOX_ceo.abc.0", "custom.prefix.1"])("answers on %s", (subject) => {
    expect(mayReplyTo(subject)).toBe(true);
  });
  it.each([
    "",
    "firm.run.x.end.root",
    "firm.to.ceo.ask",
    "$JS.API.STREAM.DELETE.FIRM_RUNS",
    "$KV.firm-runs.x",
  ])("does not answer on %j", (subject) => {
    expect(mayReplyTo(subject)).toBe(false);
  });
});

describe("toClientHeaders", () => {
  it("refuses line breaks, which would add headers", () => {
    expect(() => toClientHeaders({ a: "b\nc" })).toThrow(FirmError);
    expect(toClientHeaders({ a: "b" }).get("a")).toBe("b");
  });
});

describe("errorReply", () => {
  it("keeps a message of several lines whole in the body and in one line in the header", () => {
    const { headers, body } = errorReply(new FirmError("invalid-input", "a\r\nb", { field: "f" }));
    expect(headers).toEqual({
      [HEADERS.error]: "a b",
      [HEADERS.errorCode]: "400",
      [HEADERS.errorName]: "invalid-input",
    });
    expect(JSON.parse(body)).toEqual({ error: { code: "invalid-input", message: "a\r\nb", field: "f" } });
  });

  it("tells nothing of what is not a FirmError", () => {
    expect(JSON.stringify(errorReply(new Error("password=1")))).not.toContain("password");
  });
});
