import { type ArmHealth, DAY_MS, type Finding, type StoredEvent, TEST_USER_PREFIX } from "@assay/domain";
import type { FactsQuery } from "./load-facts.ts";
import { costGiven } from "./reference-metric.ts";

const SNAPSHOT = /[-@](latest|\d{4}-\d\d-\d\d|\d{8})$/;

/** Computes the expected health in `loadRun`'s answer from all events of the org: slow, plain and independent of the SQL. */
export function referenceHealth(events: readonly StoredEvent[], query: FactsQuery): readonly ArmHealth[] {
  const seen = events.filter(
    ({ orgId, experimentId, occurredAt }) =>
      orgId === query.orgId && experimentId === query.experimentId && occurredAt < query.until,
  );
  const users = [...Map.groupBy(seen, ({ userId }) => userId).values()];
  const byArm = Map.groupBy(users, (own) => exposuresOf(own)[0]?.variant ?? "");
  return [...byArm.keys()].sort().map((arm) => armHealth(arm, byArm.get(arm) ?? [], query));
}

function exposuresOf(own: readonly StoredEvent[]): readonly StoredEvent[] {
  return own
    .filter(({ type, variant }) => type === "exposure" && variant)
    .sort((a, b) => a.occurredAt - b.occurredAt || (a.eventId < b.eventId ? -1 : 1));
}

function armHealth(arm: string, users: readonly (readonly StoredEvent[])[], query: FactsQuery): ArmHealth {
  const events = users.flat();
  const completed = events.filter(({ type, error }) => type === "model_call" && !error);
  const expectedOf = ({ requestedModel }: StoredEvent) => query.configuredModels[arm] ?? requestedModel;
  const withModel = completed.filter((call) => call.model && expectedOf(call));
  const cached = completed.filter((call) => call.inputTokens !== null && call.cachedInputTokens !== null);
  const strays = users.flatMap((own) => exposuresOf(own).find(({ variant }) => variant !== arm) ?? []);
  return {
    arm,
    users: users.filter((own) => exposuresOf(own).length > 0).length,
    events: events.length,
    calls: events.filter(({ type }) => type === "model_call").length,
    completedCalls: completed.length,
    missingUsage: finding(
      completed.filter((call) => call.inputTokens === null || call.outputTokens === null),
    ),
    unpriced: finding(completed.filter((call) => costGiven(call, query.prices) === null)),
    errors: finding(events.filter(({ type, error }) => type === "model_call" && error)),
    truncated: finding(completed.filter(isTruncated)),
    cutStreams: finding(events.filter(({ type, usageEstimated }) => type === "model_call" && usageEstimated)),
    callsWithModel: withModel.length,
    otherModel: finding(
      withModel.filter((call) => nameOf(call.model ?? "") !== nameOf(expectedOf(call) ?? "")),
    ),
    inputTokens: cached.reduce((total, { inputTokens }) => total + (inputTokens ?? 0), 0),
    cachedInputTokens: cached.reduce(
      (total, call) => total + Math.min(call.cachedInputTokens ?? 0, call.inputTokens ?? 0),
      0,
    ),
    late: finding(events.filter(({ receivedAt, occurredAt }) => receivedAt - occurredAt > DAY_MS)),
    future: finding(events.filter(({ receivedAt, occurredAt }) => occurredAt - receivedAt > 300_000)),
    severalVariants: finding(strays),
    variantConflicts: finding(
      events.filter(({ type, variant }) => type !== "exposure" && arm && variant && variant !== arm),
    ),
    testEvents: finding(exposuresOf(events).filter(({ userId }) => userId.startsWith(TEST_USER_PREFIX))),
    models: modelsOf(completed, query),
  };
}

function finding(events: readonly StoredEvent[]): Finding {
  const since = events.length === 0 ? null : Math.min(...events.map(({ occurredAt }) => occurredAt));
  return { count: events.length, since };
}

function isTruncated({ finishReason }: StoredEvent): boolean {
  const reasons = ["length", "max_tokens", "max_output_tokens", "model_length", "incomplete"];
  return reasons.includes((finishReason ?? "").toLowerCase());
}

function nameOf(model: string): string {
  return model.toLowerCase().split("/").at(-1)?.replace(SNAPSHOT, "") ?? "";
}

function modelsOf(completed: readonly StoredEvent[], { prices }: FactsQuery): ArmHealth["models"] {
  const byModel = Map.groupBy(completed, ({ model }) => model ?? "");
  return [...byModel]
    .filter(([model]) => model !== "")
    .map(([model, calls]) => ({
      model,
      calls: calls.length,
      unpricedCalls: calls.filter((call) => costGiven(call, prices) === null).length,
    }))
    .sort((a, b) => b.calls - a.calls || (a.model < b.model ? -1 : 1))
    .slice(0, 50);
}
