import { describe, expect, it } from "vitest";
import { parseAckSubject } from "./stored.ts";

describe("parseAckSubject", () => {
  const expected = {
    stream: "FIRM_WORK",
    consumer: "ceo",
    deliveryCount: 3,
    streamSeq: 42,
    consumerSeq: 45,
    storedAt: 1_796_105_861_391,
    pending: 7,
  };

  it("reads the short form and the one with domain and account", () => {
    expect(parseAckSubject("$JS.ACK.FIRM_WORK.ceo.3.42.45.1796105861391123456.7")).toEqual(expected);
    expect(parseAckSubject("$JS.ACK.hub.ACCHASH.FIRM_WORK.ceo.3.42.45.1796105861391123456.7")).toEqual(
      expected,
    );
    expect(parseAckSubject("$JS.ACK._.ACCHASH.FIRM_WORK.ceo.3.42.45.1796105861391123456.7.random")).toEqual(
      expected,
    );
  });

  it("takes nothing else for one", () => {
    for (const subject of ["", "_INBOX.x", "$JS.ACK.short", "firm.run.x"])
      expect(parseAckSubject(subject)).toBeUndefined();
  });
});
