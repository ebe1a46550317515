#!/usr/bin/env python3
"""Plays a role: answers with what it was asked to do, and asks the CFO first where money is meant.

firm.yaml:
  agents:
    roles: { "employee:analyst": "exec:summarise" }
    programs:
      summarise: { command: [python3, examples/agents/summarise.py] }
"""
import json
import sys


def say(event):
    print(json.dumps(event), flush=True)


work = json.loads(sys.stdin.readline())
objective = work["contract"]["objective"]
say({"type": "checkpoint", "note": "reading the objective"})

output = [f"# {objective}", "", f"Asked of {work['role']}, attempt {work['attempt']}."]
if "cost" in objective.lower():
    say({"type": "invocation", "role": "cfo", "question": f"What may this cost: {objective}"})
    output += ["", "The CFO says:", "", json.loads(sys.stdin.readline())["text"]]

say({"type": "usage", "usage": {"input_tokens": len(objective.split()), "output_tokens": 0}})
say({"type": "result", "result": {"summary": f"Read: {objective}", "output": "\n".join(output)}})
