import type { EventFacts, FactsQuery } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { countedRows, OF_EXPERIMENT } from "../sql/conditions.ts";
import { hasCopies } from "../sql/has-copies.ts";
import { AttributionCounts } from "./attribution-counts.ts";
import { type EventGroup, readFirstExposure, readGroup } from "./event-groups.ts";
import { eventGroupsQuery, firstExposuresQuery } from "./facts-query.ts";
import { HealthCounts } from "./health-counts.ts";
import { divide, eachRow, readPart } from "./parts.ts";

/** Loads what an experiment's events tell about their quality, how they came, and whom they count for. */
export async function loadFacts(
  engine: EventEngine,
  query: FactsQuery,
  eventsPerPart?: number,
): Promise<EventFacts> {
  const health = new HealthCounts(query.configuredModels);
  const attribution = new AttributionCounts();
  const { counted, params } = countedRows(query);
  const { parts } = await divide(engine, { sql: OF_EXPERIMENT, params }, eventsPerPart);
  const copies = parts.length > 0 && (await hasCopies(engine, { sql: counted, params }));
  for (const part of parts) {
    const [groups, exposures] = await Promise.all([
      readPart(engine, part, eventGroupsQuery(query, { part, hasCopies: copies })),
      readPart(engine, part, firstExposuresQuery(query, { part })),
    ]);
    const nextExposure = () => (exposures.isAtEnd() ? null : readFirstExposure(exposures));
    // An event that is stored meanwhile may be in one of the two alone.
    let exposure = nextExposure();
    let own: EventGroup[] = [];
    const add = () => {
      const [group] = own;
      if (group === undefined) return;
      while (exposure !== null && exposure.hash < group.hash) exposure = nextExposure();
      const first = exposure?.hash === group.hash ? exposure : null;
      health.add(first, own);
      attribution.add(first, own);
      own = [];
    };
    await eachRow(groups, () => {
      const group = readGroup(groups);
      if (own[0]?.hash !== group.hash) add();
      own.push(group);
    });
    add();
  }
  return {
    health: health.finish(),
    attribution: { ...attribution.finish(), supersededIds: await countSuperseded(engine, query) },
  };
}

async function countSuperseded(
  engine: EventEngine,
  { orgId, experimentId }: Pick<FactsQuery, "orgId" | "experimentId">,
): Promise<number> {
  const [row] = await engine.rows<[number]>(
    `SELECT uniqExact(event_id) FROM superseded_ids
     WHERE org_id = {org_id: String} AND experiment_id = {experiment_id: String}`,
    { org_id: orgId, experiment_id: experimentId },
  );
  return row![0];
}
