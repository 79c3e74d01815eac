import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { COMPILE_CACHE } from "./scripts/suites/compile-cache.ts";
import { NIGHT_FILES } from "./scripts/suites/night-suites.ts";
import { isNight } from "./tests/in-night.ts";

/** What holds the rules. `scripts/suites/vitest-suite.ts` runs it first, with its coverage. */
const PURE = ["packages/{bucketing,domain,pipeline,stats}/**/*.test.ts"];

/**
 * Suites whose files run one after the other in the same processes. Loading the server takes three seconds of CPU: a
 * process does it once for all its files. They leave no timer, stub or environment variable changed behind them.
 * `judged-results` failed once in such a process, for a reason not yet found: it has its own.
 */
const SHARED = [
  ...["apps", "packages", "simulation", "tests/attacks", "tests/e2e/dashboard"].map(
    (path) => `${path}/**/!(judged-results).test.ts`,
  ),
  // Those that replace modules or globals, or the timers, have a process of their own.
  "clients/typescript/src/**/!(browser|browser-config|client|core-client|file-store|global|overrides|said|uuidv7|worker).test.ts",
];

/**
 * What Node loads by itself, as in production. Vitest would transform a thousand modules in one process, and every new process would
 * wait for them. The clients stay with Vitest: it chooses their platform and replaces modules.
 */
const NATIVE = [/\/(apps\/(cli|server)|packages|tests|bench|simulation|scripts)\/(?!.*\.test\.ts$).*\.ts$/];
const native = { server: { deps: { external: NATIVE } } };

/** The suites that walk the whole path of the data: at night they run on servers as well, where these are at hand. */
const ON_SERVERS = [
  ...["nightly", "model-calls", "metering", "kill", "rotation"].map((name) => `tests/e2e/${name}.test.ts`),
  "apps/server/src/planes/ingest/event-fields.test.ts",
];

/** They take several processes, which belong on servers; elsewhere they say that they do not run. */
const ONLY_ON_SERVERS = ["tests/e2e/rotation.test.ts"];

const hasServers = ["DATABASE", "EVENTS", "QUEUE"].every((name) => process.env[`ASSAY_TEST_${name}_URL`]);
const runsOnServers = process.env.ASSAY_TEST_ENGINES === "servers";
const runsTwice = isNight() && hasServers && !runsOnServers;

const onServers = {
  extends: true,
  test: {
    ...native,
    name: "servers",
    include: ON_SERVERS,
    env: { ASSAY_TEST_ENGINES: "servers" },
  },
} as const;

/** In what order the longest suites of a project start, before all others: one that starts last has the cores to itself. */
const LONGEST = [
  "bench/bench.test.ts",
  "tests/reliability/faults.test.ts",
  "tests/faults/faults.test.ts",
  "tests/e2e/faults.test.ts",
  "tests/e2e/evidence.test.ts",
  "tests/e2e/several-processes.test.ts",
  "tests/e2e/move.test.ts",
  "tests/e2e/stop.test.ts",
  "tests/e2e/metering.test.ts",
  "clients/typescript/e2e/memory.test.ts",
  "packages/storage/src/events/clickhouse-event-store.test.ts",
  "packages/storage/src/events/embedded-event-store.test.ts",
  "tests/e2e/demo.test.ts",
  "packages/storage/src/events/units/unit-states.test.ts",
  "tests/e2e/dashboard/every-page.test.ts",
  "tests/e2e/dashboard/first-run.test.ts",
  "apps/server/src/demo/demo.test.ts",
  "apps/server/src/demo/cut-off-demo.test.ts",
  "tests/e2e/dashboard/list.test.ts",
  "packages/storage/src/move/copy-events.test.ts",
  "apps/server/src/http/roles.test.ts",
  "apps/server/src/guard/guard.test.ts",
  "apps/server/src/judging/judging.test.ts",
  "apps/server/src/holdback/holdback.test.ts",
  "apps/server/src/planes/ingest/import.test.ts",
  "packages/storage/src/events/schema/schema.test.ts",
  "simulation/short.test.ts",
  // They wait for timers: at the end, nothing would run beside them.
  "packages/storage/src/events/embedded/heartbeat.test.ts",
  "packages/storage/src/events/embedded/embedded-clickhouse.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const rank = ({ moduleId, project }: TestSpecification) => {
      const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
      return projects.indexOf(project.name) * 1_000 + (place === -1 ? LONGEST.length : place);
    };
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    // Vitest starts them in the order of their names: what waits most comes first, many small files last.
    projects: [
      {
        extends: true,
        test: {
          ...native,
          name: "isolated",
          include: ["**/*.test.ts"],
          exclude: [...PURE, ...SHARED, ...(runsTwice ? ONLY_ON_SERVERS : [])],
        },
      },
      ...(runsTwice ? [onServers] : []),
      { extends: true, test: { name: "pure", include: PURE, isolate: false } },
      { extends: true, test: { ...native, name: "shared", include: SHARED, exclude: PURE, isolate: false } },
    ],
    // chDB is unsafe in worker threads (docs/engines.md), and so are other native parts: files run in processes.
    pool: "forks",
    sequence: { sequencer: LongestFirst },
    // Two more than there are cores: files wait for engines, timers and killed processes for a third of their time.
    maxWorkers: availableParallelism() + 2,
    globalSetup: ["tests/build-dashboard.ts", "tests/build-programs.ts", "tests/migrated-stores.ts"],
    // For the programs that tests start; `scripts/suites/vitest-suite.ts` has it for the tests themselves.
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    // `npm test` says what it leaves out, and how to run it.
    exclude: ["**/node_modules/**", "**/dist/**", ...(isNight() ? [] : NIGHT_FILES)],
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
      include: ["bucketing", "domain", "pipeline", "stats"].map((name) => `packages/${name}/src/**/*.ts`),
      exclude: ["**/index.ts", "**/*.test.ts", "**/test-support/**", "packages/domain/src/ports/**"],
      // The pure packages hold the rules: no branch of theirs goes untested.
      thresholds: { branches: 100 },
      reporter: ["text-summary"],
    },
  },
});
