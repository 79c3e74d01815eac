import {
  REHEARSAL_REQUESTS,
  type RehearsalPair,
  type RehearsalStore,
  type RehearsalText,
} from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { parseCursor, toCursor } from "../../cursor.ts";
import { canBeStored } from "../dialect/dialect.ts";
import type { Database } from "../schema/schema.ts";

type RehearsalReader = Pick<
  RehearsalStore,
  "progress" | "listInputs" | "listRecords" | "listPairs" | "findPair" | "listUserPlaces"
>;

const RECORD_COLUMNS = [
  "place",
  "kind",
  "arm",
  "repeat",
  "first",
  "state",
  "attempts",
  "length",
  "preference",
  "score",
  "latencyMs",
  "inputTokens",
  "outputTokens",
  "costUsd",
] as const;

/** Binds the reader of rehearsals' requests to a database or a transaction. */
export const rehearsalReader = (db: Kysely<Database>): RehearsalReader => ({
  async progress(orgId, id) {
    const { finished } = await db
      .selectFrom("rehearsalInputs")
      .select(sql<number>`count(finished_at)`.as("finished"))
      .where("orgId", "=", orgId)
      .where("rehearsalId", "=", id)
      .executeTakeFirstOrThrow();
    const rows = await db
      .selectFrom("rehearsalRequests")
      .select(["kind", "state", sql<number>`count(*)`.as("count")])
      .select(sql<number>`coalesce(sum(cost_usd), 0)`.as("costUsd"))
      .where("orgId", "=", orgId)
      .where("rehearsalId", "=", id)
      .groupBy(["kind", "state"])
      .execute();
    const counts = REHEARSAL_REQUESTS.map((kind) => {
      const own = rows.filter((row) => row.kind === kind);
      const count = (state: string) => own.find((row) => row.state === state)?.count ?? 0;
      const costUsd = own.reduce((sum, row) => sum + row.costUsd, 0);
      return { kind, pending: count("pending"), done: count("done"), failed: count("failed"), costUsd };
    });
    return { finishedInputs: finished, counts };
  },

  listInputs: (orgId, id, { after, limit }) =>
    db
      .selectFrom("rehearsalInputs")
      .select(INPUT_COLUMNS)
      .where("orgId", "=", orgId)
      .where("rehearsalId", "=", id)
      .where("place", ">", after)
      .orderBy("place")
      .limit(limit)
      .execute(),

  async listRecords(orgId, id, { after, through }) {
    const rows = await settled(db, orgId, id)
      .select(RECORD_COLUMNS)
      .where("place", ">", after)
      .where("place", "<=", through)
      .execute();
    return rows.map((row) => ({ ...row, state: row.state as "done" | "failed" }));
  },

  async listPairs(orgId, id, { limit, cursor, maxCharacters }) {
    const [after] = cursor === undefined ? [-1] : parseCursor(cursor, isPosition);
    const inputs = await db
      .selectFrom("rehearsalInputs")
      .innerJoin("rehearsals", "rehearsals.id", "rehearsalInputs.rehearsalId")
      .select(INPUT_COLUMNS)
      .where("rehearsals.orgId", "=", orgId)
      .where("rehearsals.id", "=", id)
      .whereRef("rehearsalInputs.place", "<=", "rehearsals.opened")
      .where("rehearsalInputs.place", ">", after)
      .orderBy("rehearsalInputs.place")
      .limit(limit + 1)
      .execute();
    const items: RehearsalPair[] = [];
    let left = maxCharacters;
    for (const input of inputs.slice(0, limit)) {
      if (left <= 0) break;
      const records = await listTexts(db, { orgId, id, place: input.place });
      const texts = records.map(({ text, reason }) => (text?.length ?? 0) + (reason?.length ?? 0));
      left -= texts.reduce((sum, length) => sum + length, input.characters);
      items.push({ input, records });
    }
    const last = items.at(-1);
    return { items, nextCursor: last && items.length < inputs.length ? toCursor([last.input.place]) : null };
  },

  async listUserPlaces({ orgId, userId }, { after, limit }) {
    if (!canBeStored(db, userId)) return [];
    const rows = db
      .selectFrom("rehearsalInputs")
      .select(["rehearsalId", "place"])
      .where("orgId", "=", orgId)
      .where("userId", "=", userId)
      .orderBy("rehearsalId")
      .orderBy("place")
      .limit(limit);
    if (after === null) return rows.execute();
    return rows
      .where((eb) =>
        eb.or([
          eb("rehearsalId", ">", after.rehearsalId),
          eb.and([eb("rehearsalId", "=", after.rehearsalId), eb("place", ">", after.place)]),
        ]),
      )
      .execute();
  },

  async findPair(orgId, id, place) {
    const input = await db
      .selectFrom("rehearsalInputs")
      .select(INPUT_COLUMNS)
      .where("orgId", "=", orgId)
      .where("rehearsalId", "=", id)
      .where("place", "=", place)
      .executeTakeFirst();
    return input === undefined ? null : { input, records: await listTexts(db, { orgId, id, place }) };
  },
});

const INPUT_COLUMNS = [
  "rehearsalInputs.place",
  "rehearsalInputs.itemId",
  "rehearsalInputs.position",
  "rehearsalInputs.userId",
  "rehearsalInputs.probability",
  "rehearsalInputs.characters",
] as const;

const isPosition = (position: readonly unknown[]): position is readonly [number] =>
  Number.isSafeInteger(position[0]);

async function listTexts(
  db: Kysely<Database>,
  { orgId, id, place }: { readonly orgId: string; readonly id: string; readonly place: number },
): Promise<readonly RehearsalText[]> {
  const rows = await settled(db, orgId, id)
    .select([...RECORD_COLUMNS, "text", "reason", "cause", "detail"])
    .where("place", "=", place)
    .execute();
  return rows.map((row) => ({ ...row, state: row.state as "done" | "failed" }));
}

const settled = (db: Kysely<Database>, orgId: string, id: string) =>
  db
    .selectFrom("rehearsalRequests")
    .where("orgId", "=", orgId)
    .where("rehearsalId", "=", id)
    .where("state", "!=", "pending")
    .orderBy("place")
    .orderBy("step");
