import { DEFAULT_MASKING_RULES, type MaskingRuleStore, type MaskingRules } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the store of masking rules to a database or a transaction. */
export const maskingRuleStore = (db: Kysely<Database>): MaskingRuleStore => ({
  async get(orgId) {
    const row = await db
      .selectFrom("maskingRules")
      .select("rules")
      .where("orgId", "=", orgId)
      .executeTakeFirst();
    return row === undefined ? DEFAULT_MASKING_RULES : (JSON.parse(row.rules) as MaskingRules);
  },

  async put(orgId, { builtIn, own }) {
    const rules = JSON.stringify({ builtIn, own });
    await db
      .insertInto("maskingRules")
      .values({ orgId, rules })
      .onConflict((conflict) => conflict.column("orgId").doUpdateSet({ rules }))
      .execute();
  },
});
