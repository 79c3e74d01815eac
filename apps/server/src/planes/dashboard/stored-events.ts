import {
  storedEvents as operations,
  PREVIEW_LENGTH,
  previewAnswer,
  type QueryOf,
  storedEventAnswer,
} from "@assay/contract";
import { DomainError, eventsOf, PLAN_LIMITS, type RawEventFilter, rawExpiresAt } from "@assay/domain";
import type { Deps } from "../../deps.ts";
import { loadExclusions } from "../../exclusions/load-exclusions.ts";
import { defineRoute } from "../../http/define-route.ts";
import { pageAnswer, toPageQuery } from "../../http/page.ts";
import { loadArms } from "../../load-arms.ts";
import { loadExperimentPrices } from "../../prices/price-lists.ts";

const MAX_OUTCOMES = 20;

export const listStoredEvents = defineRoute(
  operations.listStoredEvents,
  async ({ params, query, caller }, { control, events, rateLimits }) => {
    const experiment = await control.experiments.get(caller.orgId, params.id);
    if (query.text !== undefined || query.thread !== undefined) rateLimits.searches.take(caller.orgId);
    const { prices } = await loadExperimentPrices(experiment, { control });
    const page = await events.listRaw({
      ...toPageQuery(query),
      ...eventsOf(experiment, await loadExclusions(experiment, { control })),
      filter: toFilter(query),
      sort: query.sort ?? "occurred_at",
      direction: query.direction ?? "desc",
      prices,
      previewLength: PREVIEW_LENGTH,
    });
    const judgements = await control.judgements.listOfEvents(
      caller.orgId,
      experiment.id,
      page.items.map(({ eventId }) => eventId),
    );
    const ofEvent = Map.groupBy(judgements, ({ eventId }) => eventId);
    const arms = await loadArms(page.items, experiment, { control, events });
    return pageAnswer(page, (event) =>
      previewAnswer(event, {
        arm: arms.get(event) ?? null,
        judgements: ofEvent.get(event.eventId) ?? [],
        metrics: experiment.config.metrics,
      }),
    );
  },
);

export const getStoredEvent = defineRoute(
  operations.getStoredEvent,
  async ({ params, caller }, { control, events, plans }) => {
    const experiment = await control.experiments.get(caller.orgId, params.id);
    const { prices } = await loadExperimentPrices(experiment, { control });
    const ofExperiment = { orgId: caller.orgId, experimentId: experiment.id };
    const event = await events.findRaw({ ...ofExperiment, eventId: params.eventId, prices });
    if (event === null) {
      throw new DomainError(
        "event-not-found",
        "No raw event of the experiment has this id: it was not sent, is not stored yet, or the plan's retention is over.",
      );
    }
    const outcomes = await events.listOutcomes({
      ...ofExperiment,
      userId: event.userId,
      limit: MAX_OUTCOMES,
    });
    const judgements = await control.judgements.listOfEvents(caller.orgId, experiment.id, [event.eventId]);
    const arms = await loadArms([event], experiment, { control, events });
    return storedEventAnswer(event, {
      arm: arms.get(event) ?? null,
      expiresAt: await expiryOf(event, plans),
      outcomes,
      judgements,
    });
  },
);

function toFilter(query: QueryOf<typeof operations.listStoredEvents>): RawEventFilter {
  const { userId, error, type, variant, model, source, keyPrefix, client, text, thread } = query;
  return {
    ...(type !== undefined && { type }),
    ...(variant !== undefined && { variant }),
    ...(userId !== undefined && { userId }),
    ...(model !== undefined && { model }),
    ...(error !== undefined && { error: error === "true" }),
    ...(source !== undefined && { source }),
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(client !== undefined && { client }),
    ...(text !== undefined && { text }),
    ...(thread !== undefined && { thread }),
  };
}

/** When the retention sweep deletes the event under the current plan. Null where no plan limits apply. */
async function expiryOf(
  { orgId, receivedAt }: { readonly orgId: string; readonly receivedAt: number },
  plans: Deps["plans"],
): Promise<number | null> {
  if (!plans.isEnforced) return null;
  return rawExpiresAt(receivedAt, PLAN_LIMITS[await plans.inForce(orgId)].retentionDays);
}
