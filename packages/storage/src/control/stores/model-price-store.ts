import type { ModelPriceStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

/** Binds the model price store to a database or a transaction. */
export const modelPriceStore = (db: Kysely<Database>): ModelPriceStore => ({
  async put(orgId, price) {
    const { model, effectiveFrom } = price;
    const prices = {
      inputUsdPerMillion: price.inputUsdPerMillion,
      cachedInputUsdPerMillion: price.cachedInputUsdPerMillion,
      outputUsdPerMillion: price.outputUsdPerMillion,
      reasoningUsdPerMillion: price.reasoningUsdPerMillion,
    };
    await db
      .insertInto("modelPrices")
      .values({ orgId, model, effectiveFrom, ...prices })
      .onConflict((conflict) => conflict.columns(["orgId", "model", "effectiveFrom"]).doUpdateSet(prices))
      .execute();
  },

  async remove(orgId, { model, effectiveFrom }) {
    const removed = await db
      .deleteFrom("modelPrices")
      .where("orgId", "=", orgId)
      .where("model", "=", model)
      .where("effectiveFrom", "=", effectiveFrom)
      .returning("model")
      .executeTakeFirst();
    return removed !== undefined;
  },

  list: (orgId) =>
    db
      .selectFrom("modelPrices")
      .select([
        "model",
        "effectiveFrom",
        "inputUsdPerMillion",
        "cachedInputUsdPerMillion",
        "outputUsdPerMillion",
        "reasoningUsdPerMillion",
      ])
      .where("orgId", "=", orgId)
      .orderBy("model")
      .orderBy("effectiveFrom", "desc")
      .execute(),
});
