import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { dialectOf } from "../../dialect/dialect.ts";

/** Plans, webhook secrets, an org's own model prices and the judge's share of monthly usage. */
export const plansAndMetering: Migration = {
  async up(db) {
    await createPlans(db);
    await createWebhookSecrets(db);
    await createModelPrices(db);
    await db.schema
      .alterTable("usage")
      .addColumn("judge_evaluations", "bigint", (col) => col.notNull().defaultTo(0))
      .execute();
  },
};

async function createPlans(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("org_plans")
    .addColumn("org_id", "text", (col) => col.primaryKey().notNull().references("orgs.id"))
    .addColumn("override_plan", "text")
    .addColumn("plan", "text", (col) => col.notNull().defaultTo("free"))
    .addColumn("next_plan", "text")
    .addColumn("next_at", "bigint")
    .execute();
}

async function createWebhookSecrets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhook_secrets")
    .addColumn("org_id", "text", (col) => col.primaryKey().notNull().references("orgs.id"))
    .addColumn("sealed", "text", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .execute();
}

async function createModelPrices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("model_prices")
    .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
    // Models are listed in this order.
    .addColumn("model", dialectOf(db).codePointText, (col) => col.notNull())
    .addColumn("effective_from", "text", (col) => col.notNull())
    .addColumn("input_usd_per_million", "double precision", (col) => col.notNull())
    .addColumn("cached_input_usd_per_million", "double precision")
    .addColumn("output_usd_per_million", "double precision", (col) => col.notNull())
    .addColumn("reasoning_usd_per_million", "double precision")
    .addPrimaryKeyConstraint("model_prices_pkey", ["org_id", "model", "effective_from"])
    .execute();
}
