#!/bin/sh
# Plays a role: counts the lines of the workspace's files. JSON lines need no more than read and printf.
#   agents:
#     roles: { "employee:auditor": "exec:line-count" }
#     programs: { line-count: { command: [sh, examples/agents/line-count.sh] } }
read -r _work
printf '{"type":"checkpoint","note":"counting"}\n'
lines=$(find . -type f -not -path './.git/*' -not -path '*/node_modules/*' -exec cat {} + 2>/dev/null | wc -l | tr -d ' ')
printf '{"type":"result","result":{"summary":"%s lines","output":"The workspace has %s lines."}}\n' "$lines" "$lines"
