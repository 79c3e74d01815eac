import { DAY_MS, type EventStore, type MetricQuery, startOfDay } from "@assay/domain";
import { closeBed, openBed } from "./append.ts";
import { mergesEnd } from "./harness/engine-numbers.ts";
import { EVENTS_PER_USER, EXPERIMENTS, insertTrafficSql, type NightForm } from "./harness/nightly-data.ts";
import { nightOfBench } from "./harness/nights.ts";
import { cpuSeconds } from "./harness/process-stat.ts";
import { sized } from "./harness/sized.ts";
import { formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";

/** Users, or conversations, of each experiment. */
const UNITS = sized(2_500, 100);
const ROUNDS = sized(2, 1);
const FORMS: Readonly<Record<NightForm, string>> = {
  users: "users, 5 metrics of calls and outcomes",
  conversations: "conversations, four to a user, the same metrics",
  runs: "users, 5 metrics of agents' runs",
};

const metric = (kind: MetricQuery["kind"], source: MetricQuery["source"]): MetricQuery => ({
  ...{
    name: `${kind} ${JSON.stringify(source)}`,
    kind,
    source,
    windowDays: null,
    cap: null,
    acceptFrom: null,
  },
});
const PURCHASE = { event: "business_event", businessMetric: "purchase" } as const;
const METRICS = [
  metric("ratio", { event: "model_call", field: "latency_ms" }),
  metric("quantile", { event: "model_call", field: "latency_ms" }),
  metric("mean", { event: "model_call", field: "cost_usd" }),
  metric("binary", PURCHASE),
  metric("mean", PURCHASE),
];
const RUN_METRICS = [
  ...(["turns", "duration_ms", "cost_usd", "completed"] as const).map((field) =>
    metric("ratio", { event: "run", field }),
  ),
  metric("mean", { event: "run", field: "steps" }),
];

/**
 * Measures what a night reads and adds up for experiments on conversations and for metrics of runs, compared with experiments on users
 * that have as many units and events. All read the events alone and take turns in one run.
 */
export async function benchNightUnits(): Promise<void> {
  const bed = await openBed();
  const { client, store, pid } = bed;
  const night = nightOfBench();
  for (const form of Object.keys(FORMS) as NightForm[]) {
    const slice = { orgId: form, experimentIds: IDS, lastDay: night, users: UNITS, form };
    for (let first = 0; first < EVENTS_PER_USER; first += EVENTS_PER_USER / 2)
      await client.command({
        query: insertTrafficSql({ ...slice, first, end: first + EVENTS_PER_USER / 2 }),
      });
  }
  await mergesEnd(client);
  const until = startOfDay(night) + DAY_MS;
  const rounds: Record<NightForm, Cost>[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const costs: Partial<Record<NightForm, Cost>> = {};
    for (const form of Object.keys(FORMS) as NightForm[]) {
      await client.command({ query: "TRUNCATE TABLE unit_states" });
      costs[form] = await load(store, { form, until, pid });
    }
    // The first round folds the days from which covariates are read.
    if (round > 0) rounds.push(costs as Record<NightForm, Cost>);
  }
  await closeBed(bed);
  printRounds(rounds);
}

const IDS = Array.from({ length: EXPERIMENTS }, (_, index) => `experiment-${index}`);

interface Cost {
  readonly seconds: number;
  readonly serviceCpu: number;
  readonly engineCpu: number;
}

async function load(
  store: EventStore,
  { form, until, pid }: { readonly form: NightForm; readonly until: number; readonly pid: number },
): Promise<Cost> {
  const cpu = () => [cpuSeconds(process.pid), cpuSeconds(pid)] as const;
  const [before, startedAt] = [cpu(), performance.now()];
  for (const experimentId of IDS) {
    const { arms } = await store.loadRun({
      ...{ orgId: form, experimentId, unit: form === "conversations" ? "conversation" : "user" },
      ...{ exclusions: [], until, periodStarts: [], prices: [], factsUntil: until, configuredModels: {} },
      metrics: form === "runs" ? RUN_METRICS : METRICS,
      sample: { maxUsersPerArm: 100_000, preDays: 14 },
    });
    // Five metrics of three arms.
    if (arms.metrics.length !== 15) throw new Error(`An experiment has ${arms.metrics.length} sums.`);
  }
  const after = cpu();
  return {
    seconds: (performance.now() - startedAt) / 1000,
    serviceCpu: after[0] - before[0],
    engineCpu: after[1] - before[1],
  };
}

function printRounds(rounds: readonly Record<NightForm, Cost>[]): void {
  const events = (EXPERIMENTS * UNITS * EVENTS_PER_USER).toLocaleString("en-US");
  const rows = (Object.keys(FORMS) as NightForm[]).map((form) => {
    const spread = (of: (cost: Cost) => number) =>
      formatSpread(spreadOf(rounds.map((round) => of(round[form]))));
    const ratio = (of: (cost: Cost) => number) =>
      formatSpread(spreadOf(rounds.map((round) => of(round[form]) / of(round.users))));
    const whole = ({ serviceCpu, engineCpu }: Cost) => serviceCpu + engineCpu;
    return [
      FORMS[form],
      spread(({ seconds }) => seconds),
      spread(whole),
      ratio(whole),
      ratio(({ engineCpu }) => engineCpu),
      ratio(({ serviceCpu }) => serviceCpu),
    ];
  });
  printTable(
    "night-units",
    `${EXPERIMENTS} experiments, ${UNITS} units each, ${EVENTS_PER_USER} events per unit with three runs and their ends: ${events} events. They are read and added up ` +
      `without the previous night's state; statistical tests are not included. Median (min–max) of ${ROUNDS} rounds in turn. Reference: the same round on users.`,
    [
      ["what", "seconds", "CPU seconds", "CPU ÷ users", "engine's CPU ÷ users", "service's CPU ÷ users"],
      ...rows,
    ],
  );
}
