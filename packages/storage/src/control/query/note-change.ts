import type { Change } from "@assay/domain";
import { type Kysely, PostgresAdapter, sql } from "kysely";
import type { Database } from "../schema/schema.ts";

/** The channel of the schema at hand: other installations may live in other schemas of one database. */
export const changeChannel = sql<string>`'assay_' || md5(current_schema())`;

/** Tells all processes of a change once its transaction is committed. A process that has its database to itself knows. */
export async function noteChange(db: Kysely<Database>, { kind, orgId }: Change): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`select pg_notify(${changeChannel}, ${`${kind} ${orgId}`})`.execute(db);
}

/** Reads what `noteChange` sent; null for what a newer version may send. */
export function parseChange(payload: string): Change | null {
  const [kind, orgId] = payload.split(" ");
  const known = KINDS.find((one) => one === kind);
  return known === undefined || orgId === undefined ? null : { kind: known, orgId };
}

const KINDS: readonly Change["kind"][] = ["config", "keys", "plan", "judging"];
