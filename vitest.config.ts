import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // chDB is unsafe in worker threads (docs/engines.md): every test file gets its own process.
    pool: "forks",
    // One more than there are cores: most files wait for disks, engines and timers.
    maxWorkers: availableParallelism() + 1,
    // Half of what starting a service or a command costs is stripping types and compiling, the same each time. The
    // workers themselves start without it, so it does not blur the coverage.
    globalSetup: ["tests/build-dashboard.ts"],
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, ".cache/node-compile") },
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    // No test is about time: these only end what hangs, on a busy machine too.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    coverage: {
      provider: "v8",
      include: ["packages/bucketing/src/**", "packages/domain/src/**", "packages/stats/src/**"],
      exclude: ["**/index.ts", "**/*.test.ts", "packages/domain/src/ports/**"],
      // The pure packages hold the rules: no branch of theirs goes untested.
      thresholds: { branches: 100 },
      reporter: ["text-summary"],
    },
  },
});
