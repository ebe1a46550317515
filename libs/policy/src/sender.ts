// Pure: a token serves the role it was minted for, until its deadline (DESIGN, rule 2).
import type { Role, TokenClaims } from "@firm/protocol";
import { ALLOWED, refuse, type Verdict } from "./verdict.ts";

/**
 * @param sender the role in the subject, which the bus has pinned
 * @param now epoch ms
 */
export function checkSender(claims: TokenClaims, sender: Role, now: number): Verdict {
  const bearer = claims.chain.at(-1);
  if (bearer !== sender)
    return refuse("wrong-sender", `the token is ${bearer ?? "nobody"}'s, not ${sender}'s`);
  if (now >= claims.deadline)
    return refuse(
      "expired-token",
      `the token expired ${Math.round(now - claims.deadline)} ms ago, at its deadline`,
    );
  return ALLOWED;
}
