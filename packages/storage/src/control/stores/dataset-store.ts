import type { Dataset, DatasetItem, DatasetStore } from "@assay/domain";
import { type Kysely, type Selectable, sql } from "kysely";
import { inTransaction } from "../query/in-transaction.ts";
import { mapPage, readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";

const ROWS_PER_INSERT = 100;

/** Binds the store of datasets to a database or a transaction. */
export const datasetStore = (db: Kysely<Database>): DatasetStore => ({
  put: (dataset, items) =>
    inTransaction(db, async (tx) => {
      const { version } = await tx
        .selectFrom("datasets")
        .select(sql<number>`coalesce(max(version), 0) + 1`.as("version"))
        .where("orgId", "=", dataset.orgId)
        .where("name", "=", dataset.name)
        .executeTakeFirstOrThrow();
      const row = { ...dataset, version, source: JSON.stringify(dataset.source) };
      await tx.insertInto("datasets").values(row).execute();
      const rows = items.map((item, position) => ({
        ...{ datasetId: dataset.id, position },
        body: JSON.stringify(item),
      }));
      for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
        await tx
          .insertInto("datasetItems")
          .values(rows.slice(start, start + ROWS_PER_INSERT))
          .execute();
      return { ...dataset, version, items: items.length };
    }),

  async find(orgId, id) {
    const row = await withCounts(db)
      .where("datasets.orgId", "=", orgId)
      .where("datasets.id", "=", id)
      .executeTakeFirst();
    return row ? toDataset(row) : null;
  },

  async list(orgId, page) {
    const order = {
      at: "datasets.createdAt",
      id: "datasets.id",
      positionOf: ({ createdAt, id }: Row) => ({ at: createdAt, id }),
    };
    return mapPage(
      await readPage(withCounts(db).where("datasets.orgId", "=", orgId), order, page),
      toDataset,
    );
  },

  async listItems(orgId, id, { after, limit }) {
    const rows = await db
      .selectFrom("datasetItems")
      .innerJoin("datasets", "datasets.id", "datasetItems.datasetId")
      .select(["datasetItems.position", "datasetItems.body"])
      .where("datasets.orgId", "=", orgId)
      .where("datasets.id", "=", id)
      .where("datasetItems.position", ">", after)
      .orderBy("datasetItems.position")
      .limit(limit)
      .execute();
    return rows.map(({ position, body }) => ({ ...(JSON.parse(body) as DatasetItem), position }));
  },
});

type Row = Selectable<Database["datasets"]> & { readonly items: number | null };

const withCounts = (db: Kysely<Database>) =>
  db
    .selectFrom("datasets")
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom("datasetItems")
        .select(sql<number>`count(*)`.as("items"))
        .whereRef("datasetItems.datasetId", "=", "datasets.id")
        .as("items"),
    );

const toDataset = ({ source, items, ...row }: Row): Dataset => ({
  ...row,
  source: JSON.parse(source) as Dataset["source"],
  items: items ?? 0,
});
