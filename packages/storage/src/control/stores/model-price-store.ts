import type { ModelPrice, ModelPriceStore } from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";

const PRICES = [
  "inputUsdPerMillion",
  "cachedInputUsdPerMillion",
  "cacheWrite5mUsdPerMillion",
  "cacheWrite1hUsdPerMillion",
  "audioInputUsdPerMillion",
  "outputUsdPerMillion",
  "reasoningUsdPerMillion",
  "audioOutputUsdPerMillion",
] as const satisfies readonly (keyof ModelPrice)[];

/** Binds the model price store to a database or a transaction. */
export const modelPriceStore = (db: Kysely<Database>): ModelPriceStore => ({
  async put(orgId, price) {
    const { model, effectiveFrom } = price;
    const prices = Object.fromEntries(PRICES.map((name) => [name, price[name]])) as Pick<
      ModelPrice,
      (typeof PRICES)[number]
    >;
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
      .select(["model", "effectiveFrom", ...PRICES])
      .where("orgId", "=", orgId)
      .orderBy("model")
      .orderBy("effectiveFrom", "desc")
      .execute(),
});
