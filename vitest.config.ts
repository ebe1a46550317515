// The three kinds of tests: pure ones beside the code, one library against its edge, several processes together.
import { defineConfig } from "vitest/config";

/** Finds nats-server, or brings it as `firm` does. */
const NATS = "./tests/harness/global-setup.ts";

export default defineConfig({
  test: {
    passWithNoTests: true,
    projects: [
      {
        test: {
          name: "unit",
          include: ["libs/*/src/**/*.test.ts", "services/*/src/**/*.test.ts", "proto/**/*.test.ts"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "contract",
          globalSetup: NATS,
          include: ["tests/contract/**/*.test.ts", "tests/pins/**/*.test.ts", "tests/layering.test.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "integration",
          globalSetup: NATS,
          include: ["tests/integration/**/*.test.ts", "tests/chaos/**/*.test.ts"],
          // Each starts a whole firm; two at once would fight over the machine's cores and the seed's 30 seconds.
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // A poll waits for what follows from an event; how long that takes is no promise.
          expect: { poll: { timeout: 30_000 } },
          sequence: { groupOrder: 2 },
        },
      },
      {
        // What is deployed; parts whose tools are not here say so and are skipped.
        test: {
          name: "deploy",
          include: ["tests/deploy/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 1_200_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
