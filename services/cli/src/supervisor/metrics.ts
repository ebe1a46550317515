// Owns the supervisor's metrics: of the processes that it keeps, by their names.
import { Counter, Gauge, type Registry } from "prom-client";
import type { ProcessState } from "./state.ts";

/** Registers them; `states` is asked at each scrape. */
export function registerProcesses(registry: Registry, states: () => readonly ProcessState[]): void {
  const registers = [registry];
  // Not `process`, which is the label of the target that is scraped.
  const labelNames = ["name"];
  new Gauge({
    name: "firm_supervisor_process_up",
    help: "1 while the process runs",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, pid } of states()) this.set({ name }, pid === undefined ? 0 : 1);
    },
  });
  new Counter({
    name: "firm_supervisor_process_restarts_total",
    help: "Starts of the process after its first",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, restarts } of states()) this.inc({ name }, restarts);
    },
  });
}
