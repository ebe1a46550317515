// Owns making key pairs of users.
import { createUser } from "@nats-io/nkeys";

/** A user's key pair. The seed is the secret, `SU…`; the server's configuration holds the public key, `U…`. */
export interface UserKey {
  readonly seed: string;
  readonly publicKey: string;
}

export function makeUserKey(): UserKey {
  const pair = createUser();
  return { seed: new TextDecoder().decode(pair.getSeed()), publicKey: pair.getPublicKey() };
}
