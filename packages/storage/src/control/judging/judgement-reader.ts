import type { JudgedSeries, Judgement, JudgementStore, LabelCandidate } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { mapPage, readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";
import { inSeries } from "./series-rows.ts";

type JudgementReader = Pick<
  JudgementStore,
  "list" | "listOfEvents" | "listScored" | "listUnlabelled" | "isUnlabelled"
>;

/** Ids per query: well under the parameter limits of both engines. */
const IDS_PER_QUERY = 500;

/** Binds the queries for judgements to a database or a transaction. */
export const judgementReader = (db: Kysely<Database>): JudgementReader => ({
  async list({ series, state, ...page }) {
    let query = judgements(db).where((eb) => eb.and(inSeries("judgements", series)));
    if (state !== undefined) query = query.where("judgements.state", "=", state);
    return mapPage(await readPage(query, LAST_CHANGED_FIRST, page), toJudgement);
  },

  async listOfEvents(orgId, experimentId, eventIds) {
    const found: Judgement[] = [];
    for (let start = 0; start < eventIds.length; start += IDS_PER_QUERY) {
      const rows = await judgements(db)
        .where("judgements.experimentId", "=", experimentId)
        // With the bare column, SQLite would use an index that begins with it and read all judgements of the experiment.
        .where(sql<boolean>`judgements.org_id || '' = ${orgId}`)
        .where("judgements.isRepeat", "=", 0)
        .where("judgements.eventId", "in", eventIds.slice(start, start + IDS_PER_QUERY))
        .execute();
      found.push(...rows.map(toJudgement));
    }
    // Sorted here: with an ORDER BY, SQLite scans all judgements of the experiment.
    return found.sort(byMetric);
  },

  async listScored(series, { until, after, limit }) {
    let query = scoredCalls(db, series)
      .where("judgements.occurredAt", "<", until)
      .where("judgements.probability", ">", 0)
      .orderBy("judgements.eventId")
      .limit(limit);
    if (after !== null) query = query.where("judgements.eventId", ">", after);
    // A scored judgement always has both values.
    const rows = await query.$narrowType<{ score: number; answerLength: number }>().execute();
    return rows.map(({ isCut, ...call }) => ({ ...call, isCut: isCut === 1 }));
  },

  async listUnlabelled(series, { occurredFrom, perArm }) {
    const candidates: LabelCandidate[] = [];
    for (const arm of await listArms(db, series)) {
      const ofArm = await unlabelled(db, series)
        .where("arm", "=", arm)
        .where("occurredAt", ">=", occurredFrom)
        .orderBy("drawOrder")
        .orderBy("eventId")
        .limit(perArm)
        .execute();
      candidates.push(...ofArm.map(({ hasFailed, ...call }) => ({ ...call, hasFailed: hasFailed === 1 })));
    }
    return candidates.sort((a, b) => a.order - b.order);
  },

  async isUnlabelled(series, eventId, { occurredFrom, perArm }) {
    const waiting = unlabelled(db, series).where("occurredAt", ">=", occurredFrom);
    const call = await waiting.where("eventId", "=", eventId).executeTakeFirst();
    if (call === undefined) return false;
    // Sorting them all would take longer than counting those before this one.
    const before = await waiting
      .clearSelect()
      .select("id")
      .where("arm", "=", call.arm)
      .where(sql<boolean>`(draw_order, event_id) < (${call.order}, ${eventId})`)
      .limit(perArm)
      .execute();
    return before.length < perArm;
  },
});

/** All columns of `Judgement` except the label. */
const JUDGEMENT_COLUMNS = [
  "orgId",
  "experimentId",
  "metric",
  "metricVersion",
  "eventId",
  "isRepeat",
  "judgeVersion",
  "userId",
  "unitId",
  "arm",
  "occurredAt",
  "probability",
  "state",
  "score",
  "reason",
  "cause",
  "detail",
  "attempts",
  "inputTokens",
  "outputTokens",
  "costUsd",
  "judgedAt",
] as const;

const judgements = (db: Kysely<Database>) =>
  db
    .selectFrom("judgements")
    .leftJoin("labels", (join) =>
      join
        .onRef("labels.experimentId", "=", "judgements.experimentId")
        .onRef("labels.metric", "=", "judgements.metric")
        .onRef("labels.metricVersion", "=", "judgements.metricVersion")
        .onRef("labels.eventId", "=", "judgements.eventId"),
    )
    .select(JUDGEMENT_COLUMNS.map((column) => `judgements.${column}` as const))
    .select(["judgements.id", "judgements.changedAt", "labels.score as labelScore"]);

type JudgementRow = Awaited<ReturnType<ReturnType<typeof judgements>["execute"]>>[number];

const toJudgement = ({ id: _, changedAt: _changedAt, isRepeat, ...row }: JudgementRow): Judgement => ({
  ...row,
  isRepeat: isRepeat === 1,
});

function byMetric(a: Judgement, b: Judgement): number {
  if (a.metric !== b.metric) return a.metric < b.metric ? -1 : 1;
  return a.metricVersion - b.metricVersion || (a.eventId < b.eventId ? -1 : 1);
}

const LAST_CHANGED_FIRST = {
  at: "judgements.changedAt",
  id: "judgements.id",
  positionOf: ({ changedAt, id }: JudgementRow) => ({ at: changedAt, id }),
};

/** Scored first judgements, with the repeat's score and the label of a person who was shown the call at random. */
const scoredCalls = (db: Kysely<Database>, series: JudgedSeries) =>
  db
    .selectFrom("judgements")
    .leftJoin("judgements as repeats", (join) =>
      join
        .onRef("repeats.experimentId", "=", "judgements.experimentId")
        .onRef("repeats.metric", "=", "judgements.metric")
        .onRef("repeats.metricVersion", "=", "judgements.metricVersion")
        .onRef("repeats.eventId", "=", "judgements.eventId")
        .on("repeats.isRepeat", "=", 1)
        .on("repeats.state", "=", "scored"),
    )
    .leftJoin("labels", (join) =>
      join
        .onRef("labels.experimentId", "=", "judgements.experimentId")
        .onRef("labels.metric", "=", "judgements.metric")
        .onRef("labels.metricVersion", "=", "judgements.metricVersion")
        .onRef("labels.eventId", "=", "judgements.eventId")
        .on("labels.isDrawn", "=", 1),
    )
    .select([
      "judgements.eventId",
      "judgements.arm",
      "judgements.occurredAt",
      "judgements.probability",
      "judgements.score",
      "judgements.answerLength",
      "judgements.isCut",
      "repeats.score as repeatScore",
      "labels.score as label",
    ])
    .select(({ fn }) => fn.coalesce("judgements.unitId", "judgements.userId").as("userId"))
    .where((eb) => eb.and(inSeries("judgements", series)))
    .where("judgements.isRepeat", "=", 0)
    .where("judgements.state", "=", "scored");

const unlabelled = (db: Kysely<Database>, series: JudgedSeries) =>
  db
    .selectFrom("judgements")
    .select(["eventId", "unitId", "arm", "occurredAt", "drawOrder as order", "hasFailed"])
    .where((eb) => eb.and(inSeries("judgements", series)))
    .where("isRepeat", "=", 0)
    .where("state", "in", ["scored", "pending"])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("labels")
            .select("labels.id")
            .where((eb) => eb.and(inSeries("labels", series)))
            .whereRef("labels.eventId", "=", "judgements.eventId"),
        ),
      ),
    );

/** Arms from which calls were drawn. Reads the few plans instead of the many judgements. */
async function listArms(db: Kysely<Database>, series: JudgedSeries): Promise<ReadonlySet<string>> {
  const plans = await db
    .selectFrom("judgingPlans")
    .select("drawn")
    .where((eb) => eb.and(inSeries("judgingPlans", series)))
    .execute();
  return new Set(plans.flatMap(({ drawn }) => Object.keys(JSON.parse(drawn) as Record<string, number>)));
}
