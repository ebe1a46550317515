export { memoryGateway, type ChildScript, type MemoryGateway } from "./memory-gateway.ts";
export { agentOf, contextOf, workOn } from "./work.ts";
