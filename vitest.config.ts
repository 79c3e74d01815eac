import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // chDB is unsafe in worker threads (docs/engines.md): every test file gets its own process.
    pool: "forks",
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
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
