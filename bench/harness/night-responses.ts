import { setTimeout as sleep } from "node:timers/promises";
import { startBare } from "./bare.ts";
import { eventBatches } from "./event-batches.ts";
import { type NightWorld, openNightWorld, runNight } from "./night-world.ts";
import { mainThreadTime } from "./process-stat.ts";
import type { RunningService } from "./service.ts";
import { sized } from "./sized.ts";
import { formatFigure, formatSpread, quantile, spreadOf } from "./spread.ts";
import { type SteadyTarget, steadyLoad } from "./steady-load.ts";
import { printTable } from "./table.ts";

const WARM_UP_MS = sized(3_000, 100);
const QUIET_MS = sized(15_000, 500);
const BATCH = 50;
const USERS = 100_000;

/** The answers to one stretch of steady requests. */
interface Stretch {
  /** Milliseconds of every answer, per target. */
  readonly latencies: readonly (readonly number[])[];
  /** Shares of the time in which the service's event loop was running and waiting for a core. */
  readonly ran: number;
  readonly waited: number;
}

interface Round {
  readonly quiet: Stretch;
  readonly night: Stretch;
}

/**
 * Sends a service steady requests, first without a night and then during one, and prints the response times.
 */
export async function printResponses(world: NightWorld, rounds: number): Promise<void> {
  const bare = await startBare();
  const measured: Round[] = [];
  let names: readonly string[] = [];
  for (let round = 0; round < rounds; round++) {
    const service = await openNightWorld(world);
    const requests = requestsOf(service, world);
    const assign = requests.find(({ name }) => name === ASSIGN)!;
    const targets = [...requests, { ...assign, ...(await bare.standIn(assign)), name: "bare `node:http`" }];
    names = targets.map(({ name, perSecond }) => `${name}, ${perSecond}/s`);
    await steadyLoad(targets, sleep(WARM_UP_MS));
    const quiet = await measureStretch(targets, () => sleep(QUIET_MS));
    measured.push({ quiet, night: await measureStretch(targets, () => runNight(service, world)) });
    await service.stop();
  }
  await bare.stop();
  print(names, measured);
}

/** The first target belongs to the service. */
async function measureStretch(
  targets: readonly SteadyTarget[],
  work: () => Promise<unknown>,
): Promise<Stretch> {
  const pid = targets[0]!.pid;
  const [before, startedAt] = [mainThreadTime(pid), performance.now()];
  const latencies = await steadyLoad(targets, work());
  const seconds = (performance.now() - startedAt) / 1000;
  const after = mainThreadTime(pid);
  return {
    latencies,
    ran: (after.ran - before.ran) / seconds,
    waited: (after.waited - before.waited) / seconds,
  };
}

const ASSIGN = "POST /v1/assign";

function requestsOf(
  { url, pid, token }: RunningService,
  { key, liveExperiment }: NightWorld,
): readonly (SteadyTarget & { readonly name: string })[] {
  const batches = eventBatches(liveExperiment, BATCH);
  let user = 0;
  const body = () =>
    Buffer.from(JSON.stringify({ experiment_id: liveExperiment, user_id: `user-${user++ % USERS}` }));
  const json = { "x-api-key": key, "content-type": "application/json" };
  const post = { pid, method: "POST", headers: json } as const;
  return [
    { ...post, name: ASSIGN, url: `${url}/v1/assign`, body, status: 200, perSecond: 200 },
    {
      ...post,
      name: `POST /v1/events, ${BATCH} each`,
      url: `${url}/v1/events`,
      body: () => batches.next(),
      status: 202,
      perSecond: 50,
    },
    {
      name: "GET /v1/experiments",
      pid,
      method: "GET",
      url: `${url}/v1/experiments`,
      headers: { authorization: `Bearer ${token}` },
      status: 200,
      perSecond: 50,
    },
  ];
}

function print(names: readonly string[], rounds: readonly Round[]): void {
  const rows = names.map((name, index) => {
    const of = (kind: keyof Round, share: number) =>
      rounds.map((round) => quantile(round[kind].latencies[index]!, share));
    const cells = (kind: keyof Round) => [
      formatFigure(spreadOf(of(kind, 0.5)).median),
      formatSpread(spreadOf(of(kind, 0.99))),
      formatFigure(spreadOf(of(kind, 1)).max),
    ];
    const [quiet, night] = [of("quiet", 0.99), of("night", 0.99)];
    const ratio = spreadOf(night.map((value, round) => value / quiet[round]!));
    return [name, ...cells("quiet"), ...cells("night"), formatSpread(ratio)];
  });
  const percent = (kind: keyof Round, what: "ran" | "waited") =>
    `${formatFigure(100 * spreadOf(rounds.map((round) => round[kind][what])).median)}%`;
  const seconds = `${QUIET_MS / 1000} s without a night, then a whole night`;
  printTable(
    "responses while a night runs",
    `Milliseconds since a request was due: median, median (min–max) of the rounds' p99, and maximum. ${rounds.length} rounds, each ${seconds}. ` +
      "Generator, bare server, service with its pipeline thread, and engine share the cores. The bare server's slowdown " +
      "comes from this sharing, not from the service. The service's event loop was running for " +
      `${percent("quiet", "ran")} of the quiet time and ${percent("night", "ran")} of the night; it waited for a core ` +
      `${percent("quiet", "waited")} and ${percent("night", "waited")} of the time.`,
    [["request", "quiet p50", "p99", "max", "night p50", "p99", "max", "p99, night ÷ quiet"], ...rows],
  );
}
