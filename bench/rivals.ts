import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { findPythons } from "../scripts/find-pythons.ts";
import { installVenv } from "../scripts/python-venv.ts";
import { startEngine } from "./harness/engine.ts";
import { makeNightWorld, type NightWorld } from "./harness/night-world.ts";
import { CONTROL, EVENTS_PER_USER } from "./harness/nightly-data.ts";
import { cpuSeconds } from "./harness/process-stat.ts";
import { ROOT } from "./harness/program.ts";
import { sized } from "./harness/sized.ts";
import { formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { tempFolder } from "./harness/temp-folder.ts";
import { measureNights, type Night, USERS } from "./nightly.ts";
import { COST, growthbookShape } from "./rivals/growthbook-shape.ts";

/** The oldest Python that the packages support. */
const FIRST_MINOR = 11;

const COLUMNS =
  "experiment_id, user_id, event_id, toString(type) AS type, toString(variant) AS variant, occurred_at, latency_ms, cost_usd, toString(business_metric) AS business_metric, value";

/**
 * The output of `bench/python/rivals.py`: processor seconds per experiment, and users and sums by experiment and arm.
 */
interface Report {
  readonly duckdb: readonly number[];
  readonly "tea-tasting": readonly number[];
  readonly arms: Readonly<
    Record<
      string,
      Readonly<Record<string, readonly [users: number, cost: number, revenue: number, bought: number]>>
    >
  >;
}

/** Compares the processor time of a night with the processor time of other ways to analyze the same rows. */
export async function benchRivals(): Promise<void> {
  const python = findPythons()
    .filter(({ minor }) => minor >= FIRST_MINOR)
    .at(-1);
  if (python === undefined)
    throw new Error(`The rivals part needs CPython 3.${FIRST_MINOR} or later with venv.`);
  const world = await makeNightWorld();
  const { scan, first, next, rebuilt } = await measureNights(world, {
    users: sized(USERS, USERS / 10),
    first: 0,
    end: EVENTS_PER_USER,
    isEven: true,
    replacesAll: true,
  });
  const experiments = world.experimentIds.length;
  const scanOfOne = spreadOf(scan.cpuSeconds).median / experiments;
  const folder = await tempFolder();
  const shaped = await runShaped(world, folder);
  const report = await runPython(python.path, folder, python.version);
  requireSameSums(shaped, report);
  const ratios = (seconds: readonly number[]) =>
    formatSpread(spreadOf(seconds.map((one) => one / scanOfOne)));
  const nightRows = (name: string, nights: readonly Night[], what = "") => {
    const ofOne = (seconds: (night: Night) => number) =>
      ratios(nights.map((night) => seconds(night) / experiments));
    return [
      [`${name}: engine alone`, ofOne(({ engineCpu }) => engineCpu), what],
      ["the same, with the service", ofOne(({ engineCpu, serviceCpu }) => engineCpu + serviceCpu), ""],
    ];
  };
  printTable(
    "rivals",
    `Processor time per experiment, as a ratio to the engine's bare scan of the experiment's rows (${(1000 * scanOfOne).toFixed(0)} ms). ` +
      `${scan.events.toLocaleString("en-US")} events in ${experiments} experiments. One thread each, without the time to load the other contenders' tables.`,
    [
      ["contender", "÷ scan", "what is missing"],
      ...nightRows("a night, from the previous night's state", next, ALL_OF_IT),
      ...nightRows("a night that reads all events, days folded", [rebuilt]),
      ...nightRows("the first night, over all days but the last", [first]),
      [
        "GrowthBook's query shape, same engine and table",
        ratios(shaped.seconds),
        "4 of 5 metrics; no p95, covariates, tests or health; repeated deliveries count twice",
      ],
      [
        "DuckDB, written by hand",
        ratios(report.duckdb),
        "no tests, samples or health; repeated deliveries count twice",
      ],
      [
        "tea-tasting on DuckDB",
        ratios(report["tea-tasting"]),
        "4 of 5 metrics; no p95, SRM gate, permutations, FDR over nights or health",
      ],
    ],
  );
}

const ALL_OF_IT = "nothing: includes SRM, health, attribution, samples, permutations and FDR";

interface Shaped {
  readonly seconds: readonly number[];
  /** Users and their total cost, by experiment and arm. */
  readonly arms: ReadonlyMap<string, ReadonlyMap<string, readonly [users: number, cost: number]>>;
}

/** Runs the queries on the service's own table, and writes each experiment's rows to a Parquet file. */
async function runShaped({ dataDir, orgId, experimentIds }: NightWorld, folder: string): Promise<Shaped> {
  const engine = await startEngine(join(dataDir, "events"));
  const client = createClient({
    ...{ url: engine.url, username: engine.username, password: engine.password },
    request_timeout: 300_000,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const seconds: number[] = [];
  const arms = new Map<string, ReadonlyMap<string, readonly [number, number]>>();
  for (const id of experimentIds) {
    const before = cpuSeconds(engine.pid!);
    const answers = [];
    for (const query of growthbookShape(orgId, id)) answers.push(await rowsOf(client, query));
    seconds.push(cpuSeconds(engine.pid!) - before);
    arms.set(
      id,
      new Map(answers[COST]!.map(([arm, users, cost]) => [String(arm), [Number(users), Number(cost)]])),
    );
    const { stream } = await client.exec({
      query: `SELECT ${COLUMNS} FROM analysis WHERE org_id = '${orgId}' AND experiment_id = '${id}' FORMAT Parquet`,
    });
    await pipeline(stream, createWriteStream(join(folder, `${id}.parquet`)));
  }
  await client.close();
  await engine.close();
  return { seconds, arms };
}

async function rowsOf(client: ClickHouseClient, query: string): Promise<readonly (readonly unknown[])[]> {
  return (await client.query({ query, format: "JSONCompactEachRow" })).json();
}

async function runPython(python: string, folder: string, version: string): Promise<Report> {
  const programs = await installVenv({
    python,
    requirements: join(ROOT, "bench/python/requirements-rivals.txt"),
    folder: join(ROOT, `.cache/bench-rivals-${version}`),
  });
  const { stdout } = await promisify(execFile)(
    join(programs, "python"),
    [join(ROOT, "bench/python/rivals.py"), folder, CONTROL],
    { encoding: "utf8" },
  );
  return JSON.parse(stdout) as Report;
}

/** Throws unless both ways count the same users and the same total cost. */
function requireSameSums({ arms }: Shaped, report: Report): void {
  for (const [id, ofArms] of arms)
    for (const [arm, [users, cost]] of ofArms) {
      const other = report.arms[id]?.[arm];
      if (other?.[0] !== users || Math.abs(other[1] / cost - 1) > 1e-9)
        throw new Error(
          `The rivals disagree on arm ${arm} of ${id}: ${users} users and $${cost}, against ${other?.join(", ")}.`,
        );
    }
}
