import {
  addDays,
  DAY_MS,
  DEFAULT_GUARD,
  dayOf,
  type GuardQuery,
  type GuardSums,
  startOfDay,
} from "@assay/domain";
import { lookAtGuard, watchedSignals } from "@assay/pipeline";
import { createGuardSums } from "../apps/server/src/guard/guard-sums.ts";
import { type AppendBed, closeBed, openBed } from "./append.ts";
import { mergesEnd, numbers } from "./harness/engine-numbers.ts";
import { CONTROL, EXPERIMENTS, insertTrafficSql, TRAFFIC_DAYS } from "./harness/nightly-data.ts";
import { cpuSeconds } from "./harness/process-stat.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { storedEvents, timeOrderedId } from "./harness/stored-events.ts";
import { printTable } from "./harness/table.ts";

const ORG = "0199f3c2-77aa-7c3d-9f10-000000000001";
const EXPERIMENT = "0199f3c2-77aa-7c3d-9f10-3a5b7c9d1e2f";
/** Users per part of the traffic. Here, all parts belong to one experiment. */
const USERS = sized([2_500, 25_000], [10]);
const EVENTS_PER_USER = 20;
const ROUNDS = sized(6, 1);
const MINUTE_MS = 60_000;
/** A look at the log reads what was received in the last 5 to 10 minutes. */
const READ_MS = 7.5 * MINUTE_MS;
/** Events between two looks: the guard looks every half minute. */
const EVENTS_OF_LOOK = sized([3_000, 30_000], [30]);
const BATCH = 5_000;

/** Measures what a guard costs: the first look at an experiment, a look at the newest part of the log, and its share of ingest. */
export async function benchGuard(): Promise<void> {
  const rows: string[][] = [];
  const ingest: string[][] = [];
  for (const users of USERS) {
    const bed = await openBed();
    const lastDay = dayOf(Date.now() - DAY_MS);
    for (let first = 0; first < EVENTS_PER_USER; first += 2) {
      const experimentIds = Array.from({ length: EXPERIMENTS }, () => EXPERIMENT);
      const slice = { orgId: ORG, experimentIds, lastDay, users, first, end: first + 2 };
      await bed.client.command({ query: insertTrafficSql(slice) });
    }
    await mergesEnd(bed.client);
    const [events = 0] = await numbers(bed.client, "SELECT count() FROM analysis");
    const name = events.toLocaleString("en-US");
    rows.push([name, ...(await measureLooks(bed, startOfDay(lastDay) + DAY_MS / 2))]);
    for (const batch of EVENTS_OF_LOOK) ingest.push([name, ...(await measureIngest(bed, batch))]);
    await closeBed(bed);
  }
  const head = [
    "events",
    "first look: engine's CPU, s",
    "÷ scan",
    "look at the log: engine's CPU, ms",
    "÷ scan",
    "evidence, own CPU, ms",
  ];
  printTable(
    "guard",
    `One experiment with two treatments over ${TRAFFIC_DAYS} days, seven signals. Median (min–max) of ${ROUNDS} rounds. A look at the log reads the events ` +
      "received in 7.5 minutes; if several processes store events, every look does this. Reference: the engine alone reads the rows once, with one thread and one sum per user.",
    [head, ...rows],
  );
  printTable(
    "guard, ingest",
    `A single process stores half a minute's events, at most ${BATCH.toLocaleString("en-US")} at once: without a guard, and with a guard that adds events up ` +
      "while they are stored and looks after each append. CPU of engine and service. The last columns show only the adding up and the look.",
    [
      [
        ...["events", "appended in half a minute", "CPU of an append, ms", "with the guard ÷ without"],
        ...["guard's own CPU, ms", "÷ append, %"],
      ],
      ...ingest,
    ],
  );
}

const owners = {
  salt: "guard",
  bucketCount: 1_000,
  ends: [334, 667, 1_000],
  variants: ["base", "concise", "verbose"],
};
const OF = { orgId: ORG, experimentId: EXPERIMENT };
const selectionOf = (until: number) => ({
  ...{ ...OF, unit: "user" as const, exclusions: [], owners, arms: owners.variants, prices: [], metrics: [] },
  occurredFrom: startOfDay(addDays(dayOf(until), -TRAFFIC_DAYS)),
});
const queryOf = (receivedFrom: number | null, receivedUntil: number): GuardQuery => ({
  ...{ ...selectionOf(receivedUntil), receivedFrom, receivedUntil },
});
const signals = watchedSignals(DEFAULT_GUARD, []);
const shares = { base: 1 / 3, concise: 1 / 3, verbose: 1 / 3 };
const evidenceOf = (sums: GuardSums) => lookAtGuard({ sums, signals, control: CONTROL, shares, starts: 1 });

async function measureLooks({ client, store, pid }: AppendBed, at: number): Promise<string[]> {
  const spent = async (work: () => Promise<unknown>) => {
    const before = cpuSeconds(pid);
    await work();
    return cpuSeconds(pid) - before;
  };
  const scan = `SELECT sum(events), sum(latency) FROM (
      SELECT count() AS events, sum(latency_ms) AS latency FROM analysis FINAL
      WHERE org_id = '${ORG}' AND experiment_id = '${EXPERIMENT}' GROUP BY user_id
    ) SETTINGS max_threads = 1`;
  const [scans, firsts, usual]: number[][] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    scans!.push(await spent(() => numbers(client, scan)));
    firsts!.push(await spent(() => store.loadGuardSums(queryOf(null, at))));
    // One look is shorter than the clock's resolution.
    usual!.push((await spent(() => tenTimes(() => store.loadGuardSums(queryOf(at - READ_MS, at))))) / 10);
  }
  const sums = await store.loadGuardSums(queryOf(null, at));
  const own = ownSeconds();
  for (let i = 0; i < 100; i++) evidenceOf(sums);
  const evidenceMs = (1_000 * (ownSeconds() - own)) / 100;
  const scanned = spreadOf(scans!).median;
  const ofScan = (values: readonly number[]) => formatFigure(spreadOf(values).median / scanned);
  return [
    ...[formatSpread(spreadOf(firsts!)), ofScan(firsts!)],
    ...[formatSpread(spreadOf(usual!.map((seconds) => 1_000 * seconds))), ofScan(usual!)],
    formatFigure(evidenceMs),
  ];
}

async function tenTimes(work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 10; i++) await work();
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Appends with and without a guard take turns, so that the engine's merges affect both. */
async function measureIngest({ store, pid }: AppendBed, events: number): Promise<string[]> {
  const now = Date.now();
  const selection = selectionOf(now);
  const sums = createGuardSums(store, { isAlone: true });
  // A guard that has looked for ten minutes no longer reads the log.
  for (const minutes of [12, 2]) await sums.load(selection, now - minutes * MINUTE_MS);
  const look = async () => void evidenceOf(await sums.load(selection, Date.now()));
  const append = async (by: { append(batch: ReturnType<typeof storedEvents>): Promise<unknown> }) => {
    for (let left = events; left > 0; left -= BATCH)
      await by.append(storedEvents(Math.min(left, BATCH), timeOrderedId, OF));
  };
  const spent = async (work: () => Promise<void>) => {
    const before = cpuSeconds(pid) + ownSeconds();
    await work();
    return cpuSeconds(pid) + ownSeconds() - before;
  };
  const guarded = async () => {
    await append(sums);
    await look();
  };
  const [alone, ratios, own]: number[][] = [[], [], []];
  await spent(() => append(store));
  await spent(guarded);
  const kept = createGuardSums({ ...store, append: async (batch) => batch }, { isAlone: true });
  await kept.load(selection, now - MINUTE_MS);
  const batch = storedEvents(events, timeOrderedId, OF);
  for (let round = 0; round < ROUNDS; round++) {
    const without = await spent(() => append(store));
    alone!.push(1_000 * without);
    ratios!.push((await spent(guarded)) / without);
    const before = ownSeconds();
    await kept.append(batch);
    await look();
    own!.push(1_000 * (ownSeconds() - before));
  }
  return [
    ...[events.toLocaleString("en-US"), formatSpread(spreadOf(alone!)), formatSpread(spreadOf(ratios!))],
    ...[formatSpread(spreadOf(own!)), formatFigure((100 * spreadOf(own!).median) / spreadOf(alone!).median)],
  ];
}
