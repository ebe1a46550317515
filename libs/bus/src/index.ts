export type * from "./types.ts";
export { connectBus } from "./connect.ts";
export type { ConnectOptions } from "./link.ts";
export { DEAD_LETTER_HEADERS } from "./dead-letters.ts";
export { errorReply } from "./errors.ts";
export { initBus, type InitReport } from "./init.ts";
export { serveMicro, type MicroEndpoint, type MicroOptions, type MicroService } from "./micro.ts";
export { makeUserKey, type UserKey } from "./nkeys.ts";
export { withPermissionCheck } from "./permission-check.ts";
