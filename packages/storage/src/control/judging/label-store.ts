import type { JudgementStore, Label } from "@assay/domain";
import { type Kysely, type Selectable, sql } from "kysely";
import { gather } from "../query/gather.ts";
import { inTransaction } from "../query/in-transaction.ts";
import { mapPage, readPage } from "../query/keyset-page.ts";
import type { LabelTable } from "../schema/judging-schema.ts";
import type { Database } from "../schema/schema.ts";
import { inSeries, seriesOf, storable } from "./series-rows.ts";

type LabelStore = Pick<JudgementStore, "findLabel" | "putLabel" | "listLabels" | "listCompared">;

/** Binds the store of labels to a database or a transaction. `newId` creates ids that order rows of the same instant. */
export function labelStore(db: Kysely<Database>, newId: () => string): LabelStore {
  const putAll = (labels: readonly Label[]) =>
    inTransaction(db, async (tx) => {
      for (const label of labels) await put(tx, newId(), label);
    });
  const share = db.isTransaction ? putAll : gather(putAll);
  return { ...labelReader(db), putLabel: (label) => share([label]) };
}

/** Stores a label. A call that already has one keeps the id of its first label. */
async function put(
  db: Kysely<Database>,
  id: string,
  { eventId, score, note, labelledBy, labelledByName, labelledAt, isDrawn, ...series }: Label,
): Promise<void> {
  const given = {
    score,
    note: note === null ? null : storable(note),
    labelledBy,
    labelledByName,
    labelledAt,
  };
  await db
    .insertInto("labels")
    .values({ ...seriesOf(series), id, eventId, ...given, isDrawn: Number(isDrawn) })
    .onConflict((conflict) =>
      conflict.columns(["experimentId", "metric", "metricVersion", "eventId"]).doUpdateSet({
        ...given,
        // A person who corrects a label chose the call, but the call had still been drawn once.
        isDrawn: sql`case when labels.is_drawn = 1 then 1 else excluded.is_drawn end`,
      }),
    )
    .execute();
}

const labelReader = (db: Kysely<Database>): Omit<LabelStore, "putLabel"> => ({
  async findLabel(series, eventId) {
    const row = await db
      .selectFrom("labels")
      .selectAll()
      .where((eb) => eb.and(inSeries("labels", series)))
      .where("eventId", "=", eventId)
      .executeTakeFirst();
    return row === undefined ? null : toLabel(row);
  },

  async listLabels({ series, differsBy, ...page }) {
    let query = comparedLabels(db).where((eb) => eb.and(inSeries("labels", series)));
    if (differsBy !== undefined)
      query = query.where(sql<boolean>`abs(labels.score - judgements.score) > ${differsBy}`);
    return mapPage(await readPage(query, NEWEST_FIRST, page), toLabel<ComparedRow>);
  },

  async listCompared(series) {
    const rows = await comparedLabels(db)
      .where((eb) => eb.and(inSeries("labels", series)))
      .where("labels.score", "is not", null)
      .orderBy("labels.eventId")
      .execute();
    return rows.map(toLabel<ComparedRow>);
  },
});

/** Labels of scored calls, with the judge's score and reason. */
const comparedLabels = (db: Kysely<Database>) =>
  db
    .selectFrom("labels")
    .innerJoin("judgements", (join) =>
      join
        .onRef("judgements.experimentId", "=", "labels.experimentId")
        .onRef("judgements.metric", "=", "labels.metric")
        .onRef("judgements.metricVersion", "=", "labels.metricVersion")
        .onRef("judgements.eventId", "=", "labels.eventId")
        .on("judgements.isRepeat", "=", 0)
        .on("judgements.state", "=", "scored"),
    )
    .selectAll("labels")
    .select(["judgements.arm", "judgements.score as judgeScore", "judgements.reason as judgeReason"])
    // A scored judgement always has both values.
    .$narrowType<{ judgeScore: number; judgeReason: string }>();

type ComparedRow = Awaited<ReturnType<ReturnType<typeof comparedLabels>["execute"]>>[number];

const toLabel = <Row extends Selectable<LabelTable>>({ id: _, isDrawn, ...label }: Row) => ({
  ...label,
  isDrawn: isDrawn === 1,
});

const NEWEST_FIRST = {
  at: "labels.labelledAt",
  id: "labels.id",
  positionOf: ({ labelledAt, id }: ComparedRow) => ({ at: labelledAt, id }),
};
