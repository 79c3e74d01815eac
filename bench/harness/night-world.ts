import { join } from "node:path";
import type { Day } from "@assay/domain";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { startEngine } from "./engine.ts";
import { mergesEnd, numbers } from "./engine-numbers.ts";
import {
  EXPERIMENTS,
  insertTrafficSql,
  type NightForm,
  nightlyExperiment,
  type TrafficSlice,
} from "./nightly-data.ts";
import { forgetNights, nightOfBench, skipLaterNights } from "./nights.ts";
import { cpuSeconds } from "./process-stat.ts";
import { type RunningService, runService, startService } from "./service.ts";

/** A data folder with the bench's experiments. Service and engine use it in turn. */
export interface NightWorld {
  readonly dataDir: string;
  readonly orgId: string;
  readonly experimentIds: readonly string[];
  readonly night: Day;
  /** The name of an extra experiment for events sent while a night runs, and a key for them. */
  readonly liveExperiment: string;
  readonly key: string;
}

/** Creates the experiments through the API and stops the service again. */
export async function makeNightWorld(form?: NightForm, experiments = EXPERIMENTS): Promise<NightWorld> {
  const service = await startService();
  const experimentIds: string[] = [];
  for (let index = 0; index < experiments; index++) {
    const { id } = await service.call<{ id: string }>(
      "POST",
      "/v1/experiments",
      nightlyExperiment(index, form),
    );
    experimentIds.push(id);
  }
  await fetch(`${service.url}/v1/config`, { headers: { "x-api-key": service.key } });
  await service.stop();
  const { dataDir, key, experiment: liveExperiment } = service;
  const { orgId } = await skipLaterNights(dataDir);
  return { dataDir, orgId, experimentIds, night: nightOfBench(), liveExperiment, key };
}

/** Starts the service in its state before any night. */
export async function openNightWorld({ dataDir }: NightWorld): Promise<RunningService> {
  await forgetNights(dataDir);
  return runService(dataDir);
}

/** Runs the night of a day. Throws unless every experiment of the bench was analyzed. */
export async function runNight(
  service: RunningService,
  { night, experimentIds }: NightWorld,
  day = night,
): Promise<void> {
  const body = { day };
  const { runs } = await service.call<{
    runs: readonly { experiment_id: string; outcome: string; detail: string | null }[];
  }>("POST", "/v1/admin/pipeline-runs", body);
  const computed = runs.filter(({ outcome }) => outcome === "computed").map((run) => run.experiment_id);
  const missing = runs.filter(
    (run) => experimentIds.includes(run.experiment_id) && run.outcome !== "computed",
  );
  if (computed.length !== experimentIds.length)
    throw new Error(
      `${computed.length} of ${experimentIds.length} experiments were analyzed: ${JSON.stringify(missing)}`,
    );
}

/** The cost of reading every experiment's rows once with only the engine. */
export interface Scan {
  readonly events: number;
  /** Table parts that contain the rows. */
  readonly parts: number;
  readonly seconds: readonly number[];
  readonly cpuSeconds: readonly number[];
}

type Traffic = Pick<TrafficSlice, "users" | "first" | "end" | "form" | "isEven" | "days"> & {
  readonly replacesAll: boolean;
};

/**
 * Makes the engine generate the traffic, one insert per pair of a user's events, and then scan it `rounds`
 * times.
 */
export async function addTraffic(
  world: NightWorld,
  { replacesAll, first, end, users, form, isEven = false, days }: Traffic,
  rounds: number,
): Promise<Scan> {
  return onEngine(world, async (client, pid) => {
    if (replacesAll)
      for (const table of ["analysis", "raw_events"])
        await client.command({ query: `TRUNCATE TABLE ${table}` });
    for (let event = first; event < end; event += 2) {
      const slice = {
        ...{ ...world, lastDay: world.night, users, first: event, end: event + 2, isEven },
        ...(form && { form }),
        ...(days && { days }),
      };
      await client.command({ query: insertTrafficSql(slice) });
    }
    await mergesEnd(client);
    return scanRounds(world, rounds, { client, pid });
  });
}

/** Returns the newest number under which nights stored something for later nights: states and folds of days. */
export async function lastFold(world: NightWorld): Promise<string> {
  const query =
    "SELECT toString(greatest((SELECT max(fold) FROM unit_states), (SELECT max(fold) FROM day_folds)))";
  return onEngine(world, async (client) => {
    const [row] = await (await client.query({ query, format: "JSONCompactEachRow" })).json<[string]>();
    return row![0];
  });
}

/** Deletes what nights stored after that number. */
export async function forgetSince(world: NightWorld, fold: string): Promise<void> {
  await onEngine(world, async (client) => {
    for (const table of ["unit_states", "unit_days", "day_folds"])
      await client.command({
        query: `ALTER TABLE ${table} DELETE WHERE fold > ${fold} SETTINGS mutations_sync = 1`,
      });
  });
}

/** Deletes all states, so that the next night reads all events. */
export async function forgetStates(world: NightWorld): Promise<void> {
  await onEngine(world, (client) => client.command({ query: "TRUNCATE TABLE unit_states" }));
}

async function onEngine<T>(
  { dataDir }: NightWorld,
  run: (client: ClickHouseClient, pid: number | null) => Promise<T>,
): Promise<T> {
  const engine = await startEngine(join(dataDir, "events"));
  const client = createClient({
    url: engine.url,
    username: engine.username,
    password: engine.password,
    request_timeout: 300_000,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const result = await run(client, engine.pid);
  await client.close();
  await engine.close();
  return result;
}

interface Scanned {
  readonly client: ClickHouseClient;
  readonly pid: number | null;
}

async function scanRounds(
  { orgId, experimentIds }: NightWorld,
  rounds: number,
  { client, pid }: Scanned,
): Promise<Scan> {
  if (pid === null) throw new Error("The event engine has ended.");
  const [parts = 0] = await numbers(
    client,
    "SELECT count() FROM system.parts WHERE table = 'analysis' AND active",
  );
  const [seconds, cpu]: [number[], number[]] = [[], []];
  let events = 0;
  for (let round = 0; round < rounds; round++) {
    const [before, startedAt] = [cpuSeconds(pid), performance.now()];
    events = 0;
    for (const id of experimentIds) events += (await numbers(client, scanSql(orgId, id)))[0] ?? 0;
    seconds.push((performance.now() - startedAt) / 1000);
    cpu.push(cpuSeconds(pid) - before);
  }
  return { events, parts, seconds, cpuSeconds: cpu };
}

/** The minimum that an analysis per user must read: one column, one sum. */
function scanSql(orgId: string, experimentId: string): string {
  return `
    SELECT sum(events), sum(latency)
    FROM (
      SELECT count() AS events, sum(latency_ms) AS latency FROM analysis FINAL
      WHERE org_id = '${orgId}' AND experiment_id = '${experimentId}' GROUP BY user_id
    ) SETTINGS max_threads = 1`;
}
