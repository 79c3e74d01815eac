import type { JudgementStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";
import { eraseUsers } from "./erase-judgements.ts";
import { judgementQueue } from "./judgement-queue.ts";
import { judgementReader } from "./judgement-reader.ts";
import { judgingPlanStore } from "./judging-plan-store.ts";
import { summarize } from "./judging-summary.ts";
import { labelStore } from "./label-store.ts";

/** Binds the judgement store to a database or a transaction. `newId` creates ids that order rows of the same instant. */
export const judgementStore = (db: Kysely<Database>, newId: () => string): JudgementStore => ({
  ...judgingPlanStore(db, newId),
  ...judgementQueue(db),
  ...judgementReader(db),
  ...labelStore(db, newId),
  eraseUsers: (users) => eraseUsers(db, users),
  summarize: (query) => summarize(db, query),
});
