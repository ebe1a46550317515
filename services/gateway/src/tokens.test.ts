import { randomBytes } from "node:crypto";
import type { TokenClaims } from "@firm/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTokens } from "./tokens.ts";

const claims: TokenClaims = {
  run: "r",
  handoff: "h",
  attempt: 1,
  path: ["ceo"],
  chain: ["ceo"],
  phase: 0,
  session: "r:ceo",
  deadline: 1_000,
};

describe("chain tokens", () => {
  it("gives back what was signed, in this process and in another replica with the same key", () => {
    const key = randomBytes(32);
    const token = createTokens(key).sign(claims);
    expect(createTokens(key).verify(token)).toEqual(claims);
  });

  it("refuses any token with one character changed", () => {
    const key = randomBytes(32);
    const token = createTokens(key).sign(claims);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom("A", "b", "0", "_", "."), (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        // The last character of a base64url digest carries unused bits, which decode alike but are not the same text.
        if (changed === token) return;
        expect(() => createTokens(key).verify(changed)).toThrow(
          expect.objectContaining({ code: "invalid-token" }),
        );
      }),
    );
  });

  it("refuses another gateway's token, none, and noise", () => {
    const tokens = createTokens(randomBytes(32));
    for (const token of [createTokens(randomBytes(32)).sign(claims), undefined, "", ".", "a.b"]) {
      expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ code: "invalid-token" }));
    }
  });

  it("needs a key of 32 bytes", () => {
    expect(() => createTokens(randomBytes(31))).toThrow(
      expect.objectContaining({ code: "invalid-config", field: "FIRM_TOKEN_KEY_FILE" }),
    );
  });
});
