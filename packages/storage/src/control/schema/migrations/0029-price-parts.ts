import type { Migration } from "kysely/migration";

const PARTS = [
  "cache_write5m_usd_per_million",
  "cache_write1h_usd_per_million",
  "audio_input_usd_per_million",
  "audio_output_usd_per_million",
];

/** Prices of cache writes and of audio. */
export const priceParts: Migration = {
  async up(db) {
    for (const part of PARTS) {
      await db.schema.alterTable("model_prices").addColumn(part, "double precision").execute();
    }
  },
};
