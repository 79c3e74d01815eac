import { addDays } from "@assay/domain";
import { printResponses } from "./harness/night-responses.ts";
import {
  addTraffic,
  forgetSince,
  forgetStates,
  lastFold,
  makeNightWorld,
  type NightWorld,
  openNightWorld,
  runNight,
  type Scan,
} from "./harness/night-world.ts";
import { EVENTS_PER_USER, EXPERIMENTS, ROWS_PER_EXPERIMENT } from "./harness/nightly-data.ts";
import { cpuSeconds, peakRssMiB } from "./harness/process-stat.ts";
import type { RunningService } from "./harness/service.ts";
import { isTiny, sized } from "./harness/sized.ts";
import { formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";

export const USERS = 25_000;
const ROUNDS = sized(3, 1);

/**
 * Measures a night: time, memory and the engine's share as the number of events grows, and its effect on
 * requests.
 */
export async function benchNightly(): Promise<void> {
  const world = await makeNightWorld();
  const cases: NamedNights[] = [];
  const measure = async (name: string, traffic: NightTraffic, of = world) => {
    cases.push({ name, ...(await measureNights(of, traffic)) });
  };
  const all = { users: USERS, first: 0, end: EVENTS_PER_USER };
  await measure("a tenth of the users", { ...all, users: USERS / 10, replacesAll: true });
  if (!isTiny) {
    await measure("a tenth of the events", { ...all, end: EVENTS_PER_USER / 10, replacesAll: true });
    await measure("all", { ...all, first: EVENTS_PER_USER / 10, replacesAll: false });
  }
  await printResponses(world, ROUNDS);
  if (!isTiny) {
    const even = { ...all, isEven: true, replacesAll: true };
    await measure("all, each user's within a day", even);
    const users = USERS * EXPERIMENTS;
    await measure("the same in one experiment", { ...even, users }, await makeNightWorld("users", 1));
  }
  printNights(cases);
}

/** One night on a newly started service. */
export interface Night {
  readonly seconds: number;
  readonly serviceCpu: number;
  readonly engineCpu: number;
  readonly serviceRss: number;
  readonly engineRss: number;
  /** The peaks at the start of the night. */
  readonly restRss: readonly [service: number, engine: number];
  /** The stored results without their computation time. */
  readonly results: string;
}

/** The nights over the same events. */
export interface Nights {
  readonly scan: Scan;
  /** Reads all events but the last day's, and folds all days into the sums from which covariates are read. */
  readonly first: Night;
  /** Each begins from the states that the first night stored. */
  readonly next: readonly Night[];
  /** Reads all events, without a state; the days are folded. */
  readonly rebuilt: Night;
}

interface NamedNights extends Nights {
  readonly name: string;
}

type NightTraffic = Omit<Parameters<typeof addTraffic>[1], "days">;

/** Measures the first night of the traffic, the next night in several rounds, and that night again without stored states. */
export async function measureNights(world: NightWorld, traffic: NightTraffic): Promise<Nights> {
  // A state of the same night with other events would be used instead of the previous night's state.
  await forgetStates(world);
  await addTraffic(world, { ...traffic, days: "earlier" }, 0);
  const first = await measureNight(world, addDays(world.night, -1));
  const left = await lastFold(world);
  const scan = await addTraffic(world, { ...traffic, days: "last", replacesAll: false }, ROUNDS);
  const next: Night[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await forgetSince(world, left);
    next.push(await measureNight(world));
  }
  await forgetStates(world);
  return { scan, first, next, rebuilt: await measureNight(world) };
}

/** Runs the night of a day on a newly started service, and measures it. */
export async function measureNight(world: NightWorld, day = world.night): Promise<Night> {
  const service = await openNightWorld(world);
  const [server, engine] = service.pids();
  if (server === undefined || engine === undefined) throw new Error("The service has no event engine.");
  const cpu = () => [cpuSeconds(server), cpuSeconds(engine)] as const;
  const restRss = [peakRssMiB(server), peakRssMiB(engine)] as const;
  const [before, startedAt] = [cpu(), performance.now()];
  await runNight(service, world, day);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = cpu();
  const night = {
    seconds,
    serviceCpu: after[0] - before[0],
    engineCpu: after[1] - before[1],
    serviceRss: peakRssMiB(server),
    engineRss: peakRssMiB(engine),
    restRss,
    // A day earlier, the smallest world has too few events for all rows.
    results: day === world.night ? await readResults(service, world) : "",
  };
  await service.stop();
  return night;
}

async function readResults(service: RunningService, { experimentIds }: NightWorld): Promise<string> {
  const bodies: string[] = [];
  for (const id of experimentIds) {
    const { computed_at, ...body } = await service.call<{ computed_at: string; results: object }>(
      "GET",
      `/v1/experiments/${id}/results`,
    );
    const rows = Object.keys(body.results).length;
    if (computed_at === undefined || rows !== ROWS_PER_EXPERIMENT)
      throw new Error(`An experiment has ${rows} rows instead of ${ROWS_PER_EXPERIMENT}.`);
    bodies.push(JSON.stringify(body));
  }
  return bodies.join("\n");
}

function printNights(cases: readonly NamedNights[]): void {
  const mib = (values: readonly number[]) => {
    const { median, min, max } = spreadOf(values);
    return `${median.toFixed(0)} (${min.toFixed(0)}–${max.toFixed(0)})`;
  };
  const rows = cases.map(({ name, scan, first, next, rebuilt }) => {
    const of = (value: (night: Night) => number) => next.map(value);
    const scanSeconds = spreadOf(scan.seconds).median;
    const scanCpu = spreadOf(scan.cpuSeconds).median;
    const share = of(({ engineCpu, serviceCpu }) => (100 * engineCpu) / (engineCpu + serviceCpu));
    return [
      `${scan.events.toLocaleString("en-US")}: ${name}`,
      String(scan.parts),
      formatSpread(spreadOf(scan.cpuSeconds)),
      formatSpread(spreadOf(of(({ seconds }) => seconds))),
      formatSpread(spreadOf(of(({ seconds }) => seconds / scanSeconds))),
      formatSpread(spreadOf(of(({ engineCpu }) => engineCpu))),
      formatSpread(spreadOf(of(({ engineCpu }) => engineCpu / scanCpu))),
      (rebuilt.engineCpu / scanCpu).toFixed(1),
      (first.engineCpu / scanCpu).toFixed(1),
      `${formatSpread(spreadOf(share))}%`,
      mib(of(({ serviceRss }) => serviceRss)),
      mib(of(({ engineRss }) => engineRss)),
      new Set([rebuilt, ...next].map(({ results }) => results)).size === 1 ? "the same" : "**different**",
    ];
  });
  const [service, engine] = [0, 1].map((index) =>
    mib(cases.flatMap(({ next }) => next.map(({ restRss }) => restRss[index] as number))),
  );
  printTable(
    "nightly",
    `${EXPERIMENTS} experiments unless a row says otherwise, 5 metrics, 2 treatments. Each night runs on a newly started service; before it, the peak RSS is ` +
      `${service} MiB for the service and ${engine} MiB for its engine. Median (min–max) of ${ROUNDS} nights. Reference: the engine alone ` +
      "reads each experiment's rows once, with one thread and one sum per user.",
    [
      [
        "events",
        "parts",
        "scan: CPU seconds",
        "seconds",
        "time, night ÷ scan",
        "night: engine's CPU seconds",
        "engine's CPU, night ÷ scan",
        "engine's CPU, rebuilt night ÷ scan",
        "engine's CPU, first night ÷ scan",
        "engine's share of the CPU",
        "peak RSS of the service, MiB",
        "peak RSS of the engine, MiB",
        "stored results of the rounds and the rebuild",
      ],
      ...rows,
    ],
  );
}
