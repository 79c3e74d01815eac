import {
  type Day,
  dayOf,
  type JudgementFailure,
  type JudgementStore,
  type SeriesSummary,
} from "@assay/domain";
import type { Kysely } from "kysely";
import type { Mutable } from "../../mutable.ts";
import type { Database } from "../schema/schema.ts";
import { seriesKey, seriesOf } from "./series-rows.ts";

type Summarize = JudgementStore["summarize"];
type SummaryQuery = Parameters<Summarize>[0];
type ArmCounts = Mutable<SeriesSummary["arms"][string]>;

/**
 * Sums up every series that has a plan, by experiment, metric and version. It does not count the many scored judgements: they are
 * the drawn calls minus the open ones.
 */
export async function summarize(db: Kysely<Database>, query: SummaryQuery): ReturnType<Summarize> {
  const [plans, open, costs, labels] = [
    await plansOf(db, query),
    await openOf(db, query),
    await costsOf(db, query),
    await labelsOf(db, query),
  ];
  const byKey = { open: grouped(open), costs: grouped(costs), labels: grouped(labels) };
  return [...grouped(plans)].map(([key, ofSeries]) =>
    toSummary({
      orgId: query.orgId,
      plans: ofSeries,
      open: byKey.open.get(key) ?? [],
      cost: byKey.costs.get(key)?.[0],
      labels: byKey.labels.get(key) ?? [],
    }),
  );
}

const grouped = <Row extends Parameters<typeof seriesKey>[0]>(rows: readonly Row[]) =>
  Map.groupBy(rows, seriesKey);

/** Plans; those of a series are in the order of planning. */
function plansOf(db: Kysely<Database>, { orgId, experimentId }: SummaryQuery) {
  let query = db
    .selectFrom("judgingPlans")
    .select(["experimentId", "metric", "metricVersion", "day", "judgeVersion", "drawn"])
    .where("orgId", "=", orgId);
  if (experimentId !== undefined) query = query.where("experimentId", "=", experimentId);
  return query
    .orderBy("experimentId")
    .orderBy("metric")
    .orderBy("metricVersion")
    .orderBy("plannedAt")
    .orderBy("day")
    .execute();
}

/** Counts of judgements without a score. */
function openOf(db: Kysely<Database>, { orgId, experimentId }: SummaryQuery) {
  let query = db
    .selectFrom("judgements")
    .select(["experimentId", "metric", "metricVersion", "arm", "isRepeat", "state", "cause"])
    .select(({ fn }) => [fn.countAll<number>().as("count"), fn.min("drawnAt").as("drawnAt")])
    .where("orgId", "=", orgId)
    .where("state", "in", ["pending", "failed"]);
  if (experimentId !== undefined) query = query.where("experimentId", "=", experimentId);
  return query
    .groupBy(["experimentId", "metric", "metricVersion", "arm", "isRepeat", "state", "cause"])
    .execute();
}

function costsOf(db: Kysely<Database>, { orgId, experimentId, since }: SummaryQuery) {
  let query = db
    .selectFrom("judgingCosts")
    .select(["experimentId", "metric", "metricVersion"])
    .select(({ fn, eb }) => {
      const sinceThen = eb("day", ">=", dayOf(since));
      const sum = (column: "evaluations" | "costUsd" | "unpriced") => eb.cast<number>(fn.sum(column), FLOAT);
      const sumSince = (column: "evaluations" | "costUsd") =>
        eb.cast<number>(fn.sum(eb.case().when(sinceThen).then(eb.ref(column)).else(0).end()), FLOAT);
      return [
        sum("evaluations").as("evaluations"),
        sumSince("evaluations").as("evaluationsSince"),
        sum("costUsd").as("costUsd"),
        sumSince("costUsd").as("costUsdSince"),
        sum("unpriced").as("unpriced"),
      ];
    })
    .where("orgId", "=", orgId);
  if (experimentId !== undefined) query = query.where("experimentId", "=", experimentId);
  return query.groupBy(["experimentId", "metric", "metricVersion"]).execute();
}

/** PostgreSQL sums integers to `numeric`, which the driver returns as text. */
const FLOAT = "double precision";

/** Labels per arm: the number of those with a score, and the time of the last one. */
function labelsOf(db: Kysely<Database>, { orgId, experimentId }: SummaryQuery) {
  let query = db
    .selectFrom("labels")
    .innerJoin("judgements", (join) =>
      join
        .onRef("judgements.experimentId", "=", "labels.experimentId")
        .onRef("judgements.metric", "=", "labels.metric")
        .onRef("judgements.metricVersion", "=", "labels.metricVersion")
        .onRef("judgements.eventId", "=", "labels.eventId")
        .on("judgements.isRepeat", "=", 0),
    )
    .select(["labels.experimentId", "labels.metric", "labels.metricVersion", "judgements.arm"])
    .select(({ fn }) => [
      fn.count<number>("labels.score").as("scored"),
      fn.max("labels.labelledAt").as("lastAt"),
    ])
    .where("labels.orgId", "=", orgId);
  if (experimentId !== undefined) query = query.where("labels.experimentId", "=", experimentId);
  return query
    .groupBy(["labels.experimentId", "labels.metric", "labels.metricVersion", "judgements.arm"])
    .execute();
}

type Rows<Load extends (...args: never[]) => Promise<unknown[]>> = Awaited<ReturnType<Load>>;

interface SeriesRows {
  readonly orgId: string;
  readonly plans: Rows<typeof plansOf>;
  readonly open: Rows<typeof openOf>;
  readonly cost: Rows<typeof costsOf>[number] | undefined;
  readonly labels: Rows<typeof labelsOf>;
}

function toSummary({ orgId, plans, open, cost, labels }: SeriesRows): SeriesSummary {
  const [first] = plans as [SeriesRows["plans"][number]];
  const days = plans.map(({ day }) => day).sort() as [Day, ...Day[]];
  const pending = open.filter(({ state }) => state === "pending");
  return {
    ...seriesOf({ ...first, orgId }),
    judgeVersion: first.judgeVersion,
    firstDay: days[0],
    lastDay: days.at(-1) ?? days[0],
    arms: armCounts({ plans, open, labels }),
    backlog: pending.reduce((sum, { count }) => sum + count, 0),
    oldestPendingAt: pending.length === 0 ? null : Math.min(...pending.map(({ drawnAt }) => drawnAt)),
    failures: failuresOf(open),
    evaluations: cost?.evaluations ?? 0,
    evaluationsSince: cost?.evaluationsSince ?? 0,
    costUsd: cost?.costUsd ?? 0,
    costUsdSince: cost?.costUsdSince ?? 0,
    unpriced: cost?.unpriced ?? 0,
    lastLabelledAt: labels.length === 0 ? null : Math.max(...labels.map(({ lastAt }) => lastAt)),
  };
}

function armCounts({ plans, open, labels }: Omit<SeriesRows, "orgId" | "cost">): SeriesSummary["arms"] {
  const arms = new Map<string, ArmCounts>();
  const of = (arm: string): ArmCounts => {
    const counts = arms.get(arm) ?? { pending: 0, scored: 0, failed: 0, labels: 0 };
    arms.set(arm, counts);
    return counts;
  };
  for (const { drawn } of plans)
    for (const [arm, count] of Object.entries(JSON.parse(drawn) as Record<string, number>))
      of(arm).scored += count;
  for (const { arm, isRepeat, state, count } of open) {
    if (isRepeat === 1 || state === "scored") continue;
    of(arm)[state] += count;
    of(arm).scored -= count;
  }
  for (const { arm, scored } of labels) of(arm).labels += scored;
  return Object.fromEntries(arms);
}

/** Lists the most frequent cause first. */
function failuresOf(open: SeriesRows["open"]): SeriesSummary["failures"] {
  const counts = new Map<JudgementFailure, number>();
  for (const { state, cause, count } of open)
    if (state === "failed" && cause !== null) counts.set(cause, (counts.get(cause) ?? 0) + count);
  return [...counts].map(([cause, count]) => ({ cause, count })).sort((a, b) => b.count - a.count);
}
