// Pure: the containers of a compose deployment: one for each role, each with a user id of its own, so that in the volume of
// the credentials it can read its own seed alone.
import { orgChartOf, type FirmConfig } from "@firm/config";
import { addressOf, EXECUTIVE_ROLES, type Role } from "@firm/protocol";

/** One compose service of Firm's. */
export interface Member {
  /** The compose service. */
  readonly name: string;
  /** undefined: the gateway. */
  readonly role: Role | undefined;
  /** Its seed, in the directory of the credentials. */
  readonly seed: string;
  readonly uid: number;
}

/** Group of all containers, that of the image. */
export const GID = 10_001;
/** Users who are no role: who makes the bus, and who publishes objectives. */
export const OPERATOR_UID = 10_002;
export const USER_UID = 10_003;
const FIRST_UID = 10_010;

/** All members, the gateway first. */
export function membersOf(config: FirmConfig): readonly Member[] {
  const roles = [...new Set([...orgChartOf(config).roles, ...EXECUTIVE_ROLES])];
  return [undefined, ...roles].map((role, index) => {
    const address = role === undefined ? "gateway" : addressOf(role);
    return { name: address.replace(".", "-"), role, seed: `${address}.nk`, uid: FIRST_UID + index };
  });
}

/** Whose each file of the credentials is. */
export function ownersOf(members: readonly Member[]): ReadonlyMap<string, number> {
  const gateway = members.find(({ role }) => role === undefined)?.uid ?? FIRST_UID;
  return new Map([
    ...members.map(({ seed, uid }) => [seed, uid] as const),
    ["token.key", gateway],
    ["operator.nk", OPERATOR_UID],
    ["user.nk", USER_UID],
  ]);
}
