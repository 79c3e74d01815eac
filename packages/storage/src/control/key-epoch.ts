import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** Tells every process that a key stopped being valid, once the transaction is committed. */
export async function raiseKeyEpoch(db: Kysely<Database>): Promise<void> {
  await db
    .updateTable("keyEpochs")
    .set((eb) => ({ epoch: eb("epoch", "+", 1) }))
    .execute();
}
