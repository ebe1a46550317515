// Owns what an executive does: it answers questions, and takes the work of board meetings (seed: agent-protocol).
export { executiveAsk, executiveHandler } from "@firm/roles";
