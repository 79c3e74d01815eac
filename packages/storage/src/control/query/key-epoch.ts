import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";
import { noteChange } from "./note-change.ts";

/** Tells every process that a key of the org stopped being valid, once the transaction is committed. */
export async function raiseKeyEpoch(db: Kysely<Database>, orgId: string): Promise<void> {
  await db
    .updateTable("keyEpochs")
    .set((eb) => ({ epoch: eb("epoch", "+", 1) }))
    .execute();
  await noteChange(db, { kind: "keys", orgId });
}
