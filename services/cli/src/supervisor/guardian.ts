// Owns the guardian of nats-server, which has no feature to end with its parent: a shell of about 1 MB that waits for
// the end of its input, which comes however the supervisor dies, and then ends the server.

/**
 * Runs as `sh -c SCRIPT firm-nats-guardian <server> <args…>`. Its input is the supervisor's pipe. The watcher reads the pipe
 * until its end, then asks the server to stop and kills it after five seconds; the guardian itself waits for the server and
 * takes over its exit code.
 */
const SCRIPT = `
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
(
  while read -r line; do :; done <&3
  kill -TERM "$server" 2>/dev/null || exit 0
  tries=0
  while kill -0 "$server" 2>/dev/null; do
    tries=$((tries + 1))
    if [ "$tries" -gt 50 ]; then kill -KILL "$server" 2>/dev/null; exit 0; fi
    sleep 0.1
  done
) &
watcher=$!
exec 3<&- </dev/null
wait "$server"
code=$?
{ kill "$watcher"; wait "$watcher"; } 2>/dev/null
exit "$code"
`;

/** The command that runs a program under a guardian. */
export function guarded(program: string, args: readonly string[]): { command: string; args: string[] } {
  return { command: "/bin/sh", args: ["-c", SCRIPT, "firm-nats-guardian", program, ...args] };
}
