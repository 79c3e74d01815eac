import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { dialectOf } from "../../dialect/dialect.ts";

/**
 * The metrics that an org's experiments share. Before this migration, each experiment had its own definition under the
 * shared name. The definition with the highest version becomes the shared one; of several, the one changed last.
 */
export const sharedMetrics: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("shared_metrics")
      .addColumn("org_id", "text", (col) => col.notNull().references("orgs.id"))
      // Metrics are listed in this order.
      .addColumn("name", dialectOf(db).codePointText, (col) => col.notNull())
      .addColumn("definition", "text", (col) => col.notNull())
      .addPrimaryKeyConstraint("shared_metrics_pkey", ["org_id", "name"])
      .execute();
    for (const { orgId, metric } of await findShared(db)) {
      await sql`insert into shared_metrics (org_id, name, definition)
        values (${orgId}, ${metric.name}, ${JSON.stringify(metric)})`.execute(db);
    }
  },
};

interface StoredMetric {
  readonly name: string;
  readonly metricVersion: number;
  readonly sharedOrgWide: boolean;
}

interface Shared {
  readonly orgId: string;
  readonly metric: StoredMetric;
}

/** The latest versions of experiments, last changed first. */
async function findShared(db: Kysely<unknown>): Promise<Iterable<Shared>> {
  const { rows } = await sql<{ org_id: string; config: string }>`
    select experiments.org_id, experiment_versions.config from experiments
    inner join experiment_versions on experiment_versions.experiment_id = experiments.id
      and experiment_versions.version = experiments.version
    where experiment_versions.config like '%"sharedOrgWide":true%'
    order by experiment_versions.created_at desc, experiments.created_at desc, experiments.id`.execute(db);
  const found = new Map<string, Shared>();
  for (const { org_id: orgId, config } of rows) {
    const { metrics } = JSON.parse(config) as { readonly metrics: readonly StoredMetric[] };
    for (const metric of metrics.filter(({ sharedOrgWide }) => sharedOrgWide)) {
      const key = JSON.stringify([orgId, metric.name]);
      const known = found.get(key);
      if (known === undefined || metric.metricVersion > known.metric.metricVersion)
        found.set(key, { orgId, metric });
    }
  }
  return found.values();
}
