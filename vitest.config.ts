import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * Suites whose files run one after the other in the same processes. Loading the server takes three seconds of CPU: a
 * process does it once for all its files. They leave no timer, stub or environment variable changed behind them.
 * `judged-results` failed once in such a process, for a reason not yet found: it has its own.
 */
const SHARED = ["apps", "packages", "simulation", "tests/e2e/dashboard"].map(
  (path) => `${path}/**/!(judged-results).test.ts`,
);

/** The suites that walk the whole path of the data: they run on servers as well, where these are at hand. */
const ON_SERVERS = [
  ...["nightly", "import", "model-calls", "metering", "kill", "rotation"].map(
    (name) => `tests/e2e/${name}.test.ts`,
  ),
  "apps/server/src/planes/ingest/event-fields.test.ts",
];

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
    // Vitest starts them in the order of their names: what waits most comes first, many small files last.
    projects: [
      {
        extends: true,
        test: {
          name: "isolated",
          include: ["**/*.test.ts"],
          exclude: [...SHARED, ...(hasServers && !runsOnServers ? ONLY_ON_SERVERS : [])],
        },
      },
      ...(hasServers && !runsOnServers ? [onServers] : []),
      { extends: true, test: { name: "shared", include: SHARED, isolate: false } },
    ],
    // chDB is unsafe in worker threads (docs/engines.md), and so are other native parts: files run in processes.
    pool: "forks",
    // One more than there are cores: most files wait for disks, engines and timers.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ["tests/build-dashboard.ts", "tests/build-programs.ts"],
    // Half of what starting a service or a command costs is stripping types and compiling, the same each time. The
    // workers themselves start without it, so it does not blur the coverage.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, ".cache/node-compile") },
    exclude: ["**/node_modules/**", "**/dist/**"],
    // What `--changed` cannot know by imports: tests of every client read the vectors as files.
    forceRerunTriggers: ["**/package.json", "**/{vitest,vite}.config.*", "**/vectors/**"],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // No test is about time: these only end what hangs, on a machine four times slower too.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    expect: { poll: { timeout: 80_000 } },
    coverage: {
      provider: "v8",
      include: ["bucketing", "domain", "pipeline", "stats"].map((name) => `packages/${name}/src/**`),
      exclude: ["**/index.ts", "**/*.test.ts", "**/test-support/**", "packages/domain/src/ports/**"],
      // The pure packages hold the rules: no branch of theirs goes untested.
      thresholds: { branches: 100 },
      reporter: ["text-summary"],
    },
  },
});
