import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The suites that walk the whole path of the data: they run on servers as well, where these are at hand. */
const ON_SERVERS = ["nightly", "import", "model-calls", "metering", "kill", "rotation"].map(
  (name) => `tests/e2e/${name}.test.ts`,
);

/** They take several processes, which belong on servers; elsewhere they say that they do not run. */
const ONLY_ON_SERVERS = ["tests/e2e/rotation.test.ts"];

const hasServers = ["DATABASE", "EVENTS", "QUEUE"].every((name) => process.env[`ASSAY_TEST_${name}_URL`]);
const runsOnServers = process.env.ASSAY_TEST_ENGINES === "servers";

const onServers = {
  extends: true,
  test: {
    name: "servers",
    include: ON_SERVERS,
    env: { ASSAY_TEST_ENGINES: "servers" },
  },
} as const;

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: runsOnServers ? "servers" : "embedded",
          include: ["**/*.test.ts"],
          exclude: hasServers && !runsOnServers ? ONLY_ON_SERVERS : [],
        },
      },
      ...(hasServers && !runsOnServers ? [onServers] : []),
    ],
    // chDB is unsafe in worker threads (docs/engines.md): every test file gets its own process.
    pool: "forks",
    // One more than there are cores: most files wait for disks, engines and timers.
    maxWorkers: availableParallelism() + 1,
    // Half of what starting a service or a command costs is stripping types and compiling, the same each time. The
    // workers themselves start without it, so it does not blur the coverage.
    globalSetup: ["tests/build-dashboard.ts"],
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, ".cache/node-compile") },
    exclude: ["**/node_modules/**", "**/dist/**"],
    // No test is about time: these only end what hangs, on a busy machine too.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
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
