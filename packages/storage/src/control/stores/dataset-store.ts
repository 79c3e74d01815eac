import { setImmediate as nextTurn } from "node:timers/promises";
import {
  DAY_MS,
  type Dataset,
  type DatasetItem,
  type DatasetMessage,
  type DatasetSource,
  type DatasetStore,
  rawExpiresAt,
} from "@assay/domain";
import { type Kysely, type Selectable, sql } from "kysely";
import { canBeStored } from "../dialect/dialect.ts";
import { inTransaction } from "../query/in-transaction.ts";
import { mapPage, readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";
import { orgStore } from "./org-store.ts";

/** Maximum rows of an insert, well under the parameter limits of both engines. The number of characters is limited too. */
const ROWS_PER_INSERT = 500;
const CHARACTERS_PER_INSERT = 500_000;
const ORGS_PER_QUERY = 1_000;

/** Binds the store of datasets to a database or a transaction. */
export const datasetStore = (db: Kysely<Database>): DatasetStore => ({
  put: (dataset, items) =>
    inTransaction(db, async (tx) => {
      // Two uploads under the same name take turns and get different versions.
      await orgStore(tx).lock(dataset.orgId);
      const newest = await datasetStore(tx).findNewest(dataset.orgId, dataset.name);
      const stored = { ...dataset, version: (newest?.version ?? 0) + 1, items: items.length };
      await tx.insertInto("datasets").values(toRow(stored)).execute();
      for (const rows of inserts(dataset, items)) {
        await tx.insertInto("datasetItems").values(rows).execute();
        // An embedded engine answers without yielding, so give other requests a turn.
        await nextTurn();
      }
      return stored;
    }),

  async find(orgId, id) {
    const row = await db
      .selectFrom("datasets")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .executeTakeFirst();
    return row === undefined ? null : toDataset(row);
  },

  async findNewest(orgId, name) {
    const row = await db
      .selectFrom("datasets")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("name", "=", name)
      .orderBy("version", "desc")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : toDataset(row);
  },

  async list(orgId, page) {
    const query = db.selectFrom("datasets").selectAll().where("orgId", "=", orgId);
    const order = {
      at: "createdAt",
      id: "id",
      positionOf: ({ createdAt, id }: Row) => ({ at: createdAt, id }),
    };
    return mapPage(await readPage(query, order, page), toDataset);
  },

  async listItems(orgId, id, { after, limit }) {
    const rows = await db
      .selectFrom("datasetItems")
      .selectAll()
      .where("orgId", "=", orgId)
      .where("datasetId", "=", id)
      .where("position", ">", after)
      .orderBy("position")
      .limit(limit)
      .execute();
    return rows.map(toItem);
  },

  async count(orgId) {
    const { datasets } = await db
      .selectFrom("datasets")
      .select(({ fn }) => fn.countAll<number | string>().as("datasets"))
      .where("orgId", "=", orgId)
      .executeTakeFirstOrThrow();
    return Number(datasets);
  },

  async remove(orgId, id) {
    const removed = await db
      .deleteFrom("datasets")
      .where("orgId", "=", orgId)
      .where("id", "=", id)
      .returning("id")
      .executeTakeFirst();
    return removed !== undefined;
  },

  async eraseUsers(erasures) {
    let removed = 0;
    for (const erasure of erasures)
      if (canBeStored(db, erasure.userId)) removed += await inTransaction(db, (tx) => eraseFrom(tx, erasure));
    return removed;
  },

  async expire(retention, now) {
    for (const { orgIds, retentionDays } of retention) {
      const days = rawExpiresAt(0, retentionDays);
      for (let start = 0; start < orgIds.length; start += ORGS_PER_QUERY)
        await db
          .updateTable("datasets")
          .set({ expiresAt: sql<number>`received_from - received_from % ${sql.lit(DAY_MS)} + ${days}` })
          .where("orgId", "in", orgIds.slice(start, start + ORGS_PER_QUERY))
          .where("receivedFrom", "is not", null)
          .execute();
    }
    const removed = await db.deleteFrom("datasets").where("expiresAt", "<=", now).returning("id").execute();
    return removed.length;
  },
});

/** Splits the inputs into inserts that delay other queries by a few milliseconds each. */
function* inserts({ orgId, id }: Pick<Dataset, "orgId" | "id">, items: readonly DatasetItem[]) {
  let rows: ReturnType<typeof toItemRow>[] = [];
  let characters = 0;
  for (const [position, item] of items.entries()) {
    const row = toItemRow(item, { orgId, datasetId: id, position });
    rows.push(row);
    characters += row.messages.length + (row.reference?.length ?? 0);
    if (rows.length < ROWS_PER_INSERT && characters < CHARACTERS_PER_INSERT) continue;
    yield rows;
    [rows, characters] = [[], 0];
  }
  if (rows.length > 0) yield rows;
}

async function eraseFrom(
  tx: Kysely<Database>,
  { orgId, userId, requestedAt }: { orgId: string; userId: string; requestedAt: number },
): Promise<number> {
  const before = tx
    .selectFrom("datasets")
    .select("id")
    .where("orgId", "=", orgId)
    .where((eb) => eb.or([eb("createdAt", "<=", requestedAt), eb("receivedFrom", "is not", null)]));
  const removed = await tx
    .deleteFrom("datasetItems")
    .where("orgId", "=", orgId)
    .where("userId", "=", userId)
    .where("datasetId", "in", before)
    .returning("datasetId")
    .execute();
  for (const [datasetId, own] of Map.groupBy(removed, (row) => row.datasetId))
    await tx
      .updateTable("datasets")
      .set((eb) => ({ items: eb("items", "-", own.length) }))
      .where("orgId", "=", orgId)
      .where("id", "=", datasetId)
      .execute();
  return removed.length;
}

type Row = Selectable<Database["datasets"]>;

function toRow({ source, masked, ...dataset }: Dataset): Row {
  const isDrawn = source.kind === "calls";
  return {
    ...dataset,
    source: JSON.stringify(source),
    experimentId: isDrawn ? source.experimentId : null,
    receivedFrom: isDrawn ? source.receivedFrom : null,
    masked: JSON.stringify(masked),
  };
}

function toDataset({ source, masked, experimentId, receivedFrom, ...dataset }: Row): Dataset {
  return {
    ...dataset,
    source: JSON.parse(source) as DatasetSource,
    masked: JSON.parse(masked) as Dataset["masked"],
  };
}

/** Texts are stored as JSON, which can express every character on both engines. */
function toItemRow(
  { id, messages, reference, ...item }: DatasetItem,
  place: { readonly orgId: string; readonly datasetId: string; readonly position: number },
) {
  return {
    ...place,
    ...item,
    itemId: id,
    messages: JSON.stringify(messages),
    reference: reference === null ? null : JSON.stringify(reference),
  };
}

function toItem(row: Selectable<Database["datasetItems"]>): DatasetItem & { readonly position: number } {
  const { itemId, messages, reference, position, userId, occurredAt, probability } = row;
  return {
    ...{ position, id: itemId, userId, occurredAt, probability },
    messages: JSON.parse(messages) as readonly DatasetMessage[],
    reference: reference === null ? null : (JSON.parse(reference) as string),
  };
}
