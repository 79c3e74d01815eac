import { type AnalysisQuery, type ArmSnapshot, isOfWholeUsers } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { OF_EXPERIMENT } from "../sql/conditions.ts";
import { foldDays } from "../units/fold-days.ts";
import { ArmTotals } from "./arm-totals.ts";
import { covariateReader, covariateSources, covariatesQuery } from "./covariates.ts";
import { queryColumns } from "./metric-columns.ts";
import { divide, readPart } from "./parts.ts";
import { usersQuery } from "./users-query.ts";

/**
 * Loads the data of one analysis. The engine groups the events by user; what is counted and added up over the users is done here, in
 * the order of the users' hashes. So a rerun gives the same bits, whatever parts the table has and on whatever shards they are.
 */
export async function loadArmSnapshot(
  engine: EventEngine,
  query: AnalysisQuery,
  eventsPerPart?: number,
): Promise<ArmSnapshot> {
  const used = queryColumns(query);
  const arms = new ArmTotals(query, used);
  const sources = query.sample === null ? [] : covariateSources(used);
  // All of the experiment's events: to tell those that count would take longer.
  const events = { sql: OF_EXPERIMENT, params: { org_id: query.orgId, experiment_id: query.experimentId } };
  const { parts, firstAt } = await divide(engine, events, eventsPerPart);
  // Cells are of a user: whole users that are taken out have no exposure to join them with.
  const isFolded = parts.length > 0 && sources.length > 0 && query.exclusions.every(isOfWholeUsers);
  const folded = isFolded ? await foldDays(engine, query.orgId, query.until) : null;
  for (const part of parts) {
    const [users, past] = await Promise.all([
      readPart(engine, part, usersQuery(query, { used, part })),
      sources.length === 0
        ? null
        : readPart(engine, part, covariatesQuery(query, { sources, used, folded, part, firstAt })),
    ]);
    await arms.add(users, past === null ? null : covariateReader(past, sources));
  }
  return arms.snapshot();
}
