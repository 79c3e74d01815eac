import { addDays, DAY_MS, DEFAULT_GUARD, dayOf, type GuardQuery, startOfDay } from "@assay/domain";
import { lookAtGuard, watchedSignals } from "@assay/pipeline";
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
/** Users of each of the traffic's parts, which are all of one experiment here. */
const USERS = sized([2_500, 25_000], [10]);
const EVENTS_PER_USER = 20;
const ROUNDS = sized(6, 1);
/** A look reads what was received in the last 5 to 10 minutes. */
const READ_MS = 7.5 * 60_000;
/** Events of half a minute: in turn with a look, as often as the guard looks. */
const EVENTS_OF_LOOK = sized([3_000, 30_000], [30]);
const BATCH = 5_000;

/** Measures what a guard costs: a new leader's first look at an experiment, a usual one, and the ingest beside it. */
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
    "usual look: engine's CPU, ms",
    "÷ scan",
    "evidence, own CPU, ms",
  ];
  printTable(
    "guard",
    `One experiment with two treatments over ${TRAFFIC_DAYS} days, seven signals. Median (min–max) of ${ROUNDS}. A usual look reads what was ` +
      "received in 7.5 minutes. Reference: the engine alone reads the rows once, one thread, one sum per user.",
    [head, ...rows],
  );
  printTable(
    "guard, ingest",
    "Appends of half a minute's events, without and with a look after each; the look reads them, too.",
    [
      ["events", "appended in half a minute", "engine's CPU of an append, ms", "with a look ÷ without"],
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
const queryOf = (receivedFrom: number | null, receivedUntil: number): GuardQuery => ({
  ...{
    orgId: ORG,
    experimentId: EXPERIMENT,
    unit: "user",
    exclusions: [],
    owners,
    arms: owners.variants,
    prices: [],
    metrics: [],
  },
  ...{ receivedFrom, receivedUntil, occurredFrom: startOfDay(addDays(dayOf(receivedUntil), -TRAFFIC_DAYS)) },
});

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
  const signals = watchedSignals(DEFAULT_GUARD, []);
  const shares = { base: 1 / 3, concise: 1 / 3, verbose: 1 / 3 };
  const own = process.cpuUsage();
  for (let i = 0; i < 100; i++) lookAtGuard({ sums, signals, control: CONTROL, shares, starts: 1 });
  const { user, system } = process.cpuUsage(own);
  const scanned = spreadOf(scans!).median;
  const ofScan = (values: readonly number[]) => formatFigure(spreadOf(values).median / scanned);
  return [
    ...[formatSpread(spreadOf(firsts!)), ofScan(firsts!)],
    ...[formatSpread(spreadOf(usual!.map((seconds) => 1_000 * seconds))), ofScan(usual!)],
    formatFigure((user + system) / 100 / 1_000),
  ];
}

async function tenTimes(work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 10; i++) await work();
}

/** Appends with and without a look take turns, so that what the engine merges meanwhile is shared. */
async function measureIngest({ store, pid }: AppendBed, events: number): Promise<string[]> {
  const of = { orgId: ORG, experimentId: EXPERIMENT };
  const append = async () => {
    for (let left = events; left > 0; left -= BATCH)
      await store.append(storedEvents(Math.min(left, BATCH), timeOrderedId, of));
  };
  const ratios: number[] = [];
  const alone: number[] = [];
  await append();
  for (let round = 0; round < ROUNDS; round++) {
    const before = cpuSeconds(pid);
    await append();
    const between = cpuSeconds(pid);
    await append();
    const now = Date.now();
    await store.loadGuardSums(queryOf(now - READ_MS, now + 1));
    const appended = between - before;
    alone.push(1_000 * appended);
    ratios.push((cpuSeconds(pid) - between) / appended);
  }
  return [events.toLocaleString("en-US"), formatSpread(spreadOf(alone)), formatSpread(spreadOf(ratios))];
}
