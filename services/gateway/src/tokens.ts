// Owns the signing and checking of chain tokens (DESIGN, rule 2): a worker's rights are what the gateway signed, never its own words.
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { FirmError, TokenClaims } from "@firm/protocol";

/** Tokens checked before are not checked again; the oldest leave first. */
const REMEMBERED = 20_000;

/** Signs and checks tokens with one key, shared by all gateway replicas. */
export interface Tokens {
  sign(claims: TokenClaims): string;
  /** @throws FirmError `invalid-token` */
  verify(token: string | undefined): TokenClaims;
}

/** @param key at least 32 bytes */
export function createTokens(key: Uint8Array): Tokens {
  if (key.byteLength < 32) {
    throw new FirmError(
      "invalid-config",
      `the token key has ${key.byteLength} bytes; it must have at least 32`,
      { field: "FIRM_TOKEN_KEY_FILE" },
    );
  }
  const verified = new Map<string, TokenClaims>();
  const remember = (token: string, claims: TokenClaims): void => {
    if (verified.size >= REMEMBERED) {
      const oldest = verified.keys().next();
      if (!oldest.done) verified.delete(oldest.value);
    }
    verified.set(token, claims);
  };
  // Made once: a bare key would be wrapped again for every token.
  const secret = createSecretKey(key);
  const mac = (payload: string): string => createHmac("sha256", secret).update(payload).digest("base64url");

  return {
    sign(claims) {
      const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
      const token = `${payload}.${mac(payload)}`;
      remember(token, claims);
      return token;
    },
    verify(token) {
      if (token === undefined)
        throw new FirmError(
          "invalid-token",
          "no Firm-Token: every request needs the token that came with the work",
        );
      const known = verified.get(token);
      if (known !== undefined) return known;
      const dot = token.indexOf(".");
      const payload = token.slice(0, Math.max(dot, 0));
      const given = Buffer.from(token.slice(dot + 1));
      const wanted = Buffer.from(mac(payload));
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
        throw new FirmError("invalid-token", "the Firm-Token was not signed by this gateway, or was changed");
      }
      const claims = TokenClaims.safeParse(JSON.parse(Buffer.from(payload, "base64url").toString()));
      if (!claims.success)
        throw new FirmError("invalid-token", "the Firm-Token is signed, but of another version");
      remember(token, claims.data);
      return claims.data;
    },
  };
}
