export type * from "./types.ts";
export { connectBus } from "./connect.ts";
export type { ConnectOptions } from "./link.ts";
export { DEAD_LETTER_HEADERS } from "./dead-letters.ts";
export { errorReply } from "./errors.ts";
