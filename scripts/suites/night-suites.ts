/** A part of the suites that only the night runs (`npm test -- --all`). docs/testing.md prints the list. */
interface NightSuite {
  readonly what: string;
  /** Patterns of test files, as Vitest reads them. Empty when another program runs the tests. */
  readonly files: readonly string[];
  /** The part that every push runs. */
  readonly onPush: string;
}

const e2e = (...names: readonly string[]) => names.map((name) => `tests/e2e/${name}.test.ts`);

export const NIGHT_SUITES: readonly NightSuite[] = [
  {
    what: "the benchmark's parts, tiny",
    files: ["bench/bench.test.ts"],
    onPush: "their types",
  },
  {
    what: "parts killed under load, and while they judge, rehearse, erase, alert, hold, import and read telemetry",
    files: [
      "tests/reliability/faults.test.ts",
      ...e2e("alerts-kill", "erasure-kill", "import", "judging-kill", "kill-hold", "otlp-kill", "metering"),
      ...e2e("rehearsal-kill"),
    ],
    onPush: "a kill while events arrive (`tests/e2e/kill.test.ts`)",
  },
  {
    what: "power cuts",
    files: ["tests/power-cut/{engines,under-load}.test.ts"],
    onPush: "the order of what is synced (`list-batches`, `sync-names`)",
  },
  {
    what: "instrumentation faults through HTTP",
    files: ["tests/faults/faults.test.ts"],
    onPush: "the rules that find them (`packages/pipeline/src/health`, `packages/domain/src/attribution`)",
  },
  {
    what: "several processes, shared stores, moves, stalled engines, full disks, stops and starts that fail",
    files: e2e(
      "back-pressure",
      "faults",
      "full-disk",
      "hold",
      "move",
      "rotation",
      "several-processes",
      "shared-store",
      "stop",
      "upgrade-ids",
    ).concat("apps/server/src/pipeline/stop-at-night.test.ts"),
    onPush: "one process, started and stopped",
  },
  {
    what: "the event store on a ClickHouse server and on shards, one of them down",
    files: [
      "packages/storage/src/{events/clickhouse-cluster,events/clickhouse-event-store,move/copy-events}.test.ts",
      "tests/servers/clickhouse.test.ts",
    ],
    onPush: "the same contract on the embedded engine",
  },
  {
    what: "the queue on NATS, which a fresh clone builds for a minute",
    files: [
      "packages/storage/src/queue/{jetstream,jetstream-cluster,probe-jetstream}.test.ts",
      "apps/server/src/engines/jetstream-queue.test.ts",
      "tests/servers/nats.test.ts",
    ],
    onPush: "the same contract on LMDB",
  },
  {
    what: "evidence recomputed with numpy",
    files: e2e("evidence"),
    onPush: "the reference vectors of `packages/stats`",
  },
  {
    what: "error rates and coverage against known truths",
    files: ["simulation/short.test.ts"],
    onPush: "the reference vectors of `packages/stats`, and the simulation's own parts",
  },
  {
    what: "each page of the dashboard in depth",
    files: e2e(
      "dashboard/{account,alerts,calls,catalogue,change-and-decide,compare,experiment-tabs,external-flag,failures,hold}",
      "dashboard/{instrumented,judged-results,judges,list,new-experiment,passkeys,platform,public-prompts,rehearsals,results,scorecard,share,stability,units}",
    ),
    onPush: "every page opened and read by axe, and the first run, which creates an experiment",
  },
  {
    what: "the client's memory, and its store in a browser that goes offline",
    files: ["clients/typescript/e2e/{memory,browser-offline,browser-background}.test.ts"],
    onPush: "the same rules without a browser, and `browser-client.test.ts` in one",
  },
  {
    what: "the packed clients, installed into applications; signatures of a release",
    files: ["clients/{typescript,openfeature,react}/e2e/package.test.ts", "scripts/build-java.test.ts"],
    onPush: "their types, sizes and exports",
  },
  {
    what: "frameworks that are too large for every run (2 GB)",
    files: ["**/*.frameworks.test.ts"],
    onPush: "the providers' own libraries",
  },
  {
    what: "state per user over random histories and kills",
    files: ["packages/storage/src/events/units/fold-history.test.ts"],
    onPush: "each case of `unit-states.test.ts`, and the contract's random events",
  },
  {
    what: "the demo loaded through the API, again, and cut off",
    files: ["apps/server/src/demo/{cut-off-demo,demo}.test.ts"],
    onPush: "`npm run demo`",
  },
  {
    what: "the fuzzer (`npm run fuzz`, in `.ci/nightly`)",
    files: [],
    onPush: "hostile bodies to every operation (`hostile-bodies.test.ts`)",
  },
  {
    what: "the whole path on PostgreSQL, ClickHouse and NATS",
    files: [],
    onPush: "the engines of `npm start`; the control plane on PostgreSQL too",
  },
  {
    what: "the examples in Python and Java",
    files: e2e("examples"),
    onPush: "the clients, and the programs of the READMEs in TypeScript",
  },
  {
    what: "the Python client on the oldest Python, with other servers and frameworks, its README and its source distribution",
    files: [],
    onPush: "the newest Python, with the providers' own libraries",
  },
  {
    what: "the Java client on Java 11, with frameworks, its README and its package",
    files: [],
    onPush: "the JDK here",
  },
];

export const NIGHT_FILES = NIGHT_SUITES.flatMap(({ files }) => files);

/** What `npm test` prints when it did not run the night's suites. */
export const LEFT_OUT = [
  "LEFT OUT, and run by `npm test -- --all`:",
  ...NIGHT_SUITES.map(({ what, files }) => `  - ${[what, ...files].join("  ")}`),
  "  - tests marked `runIf(isNight())`, counted as skipped; random tests ran fewer cases",
].join("\n");
