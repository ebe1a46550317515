// Owns asking whether a process is there.
import { errnoOf } from "../errors.ts";

/** True where a process has this id; it may be another's by now. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}
