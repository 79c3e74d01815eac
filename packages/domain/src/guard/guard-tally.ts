import { bucketOf, compileBuckets, murmur3, variantAt } from "@assay/bucketing";
import { excludedBy } from "../attribution/exclusions.ts";
import { type StoredEvent, TEST_USER_PREFIX } from "../event/event.ts";
import { EVENT_FIELD_LIST } from "../event/fields.ts";
import { isTruncated } from "../event/finish-reason.ts";
import { weightOfEvent } from "../event/weight.ts";
import {
  GUARD_COLUMNS,
  GUARD_GROUPS,
  type GuardColumn,
  type GuardSelection,
  type GuardSums,
} from "../ports/guard-sums.ts";
import { costOf } from "../price/call-cost.ts";
import { priceFinder } from "../price/price-list.ts";

/** A guard's sums, updated one event at a time. The event store's query computes the same sums from its log. */
export interface GuardTally {
  readonly sums: GuardSums;
  /** Adds an event if the guard counts it. */
  add(event: StoredEvent): void;
}

type Call = StoredEvent & { readonly type: "model_call" };

/** What a call adds to each column, except exposures; `cost` is in USD. */
const OF_CALL: Readonly<
  Record<Exclude<GuardColumn, "exposures">, (call: Call, cost: number | null) => number>
> = {
  calls: () => 1,
  errors: ({ error }) => Number(error === true),
  completed: (call) => Number(isCompleted(call)),
  latencySum: ({ latencyMs }) => latencyMs ?? 0,
  latencyCount: ({ latencyMs }) => Number(latencyMs !== null),
  costSum: (call, cost) => (isCompleted(call) ? (cost ?? 0) : 0),
  costCount: (call, cost) => Number(isCompleted(call) && cost !== null),
  missingUsage: (call) =>
    Number(isCompleted(call) && (call.inputTokens === null || call.outputTokens === null)),
  truncated: (call) => Number(isCompleted(call) && isTruncated(call.finishReason ?? "")),
};

const EXPOSURES = GUARD_COLUMNS.indexOf("exposures");
const COLUMNS_OF_CALL = GUARD_COLUMNS.flatMap((column, index) =>
  column === "exposures" ? [] : [{ index, addend: OF_CALL[column] }],
);

/** Starts with no events. The caller gives each event once. */
export function createGuardTally(selection: GuardSelection): GuardTally {
  const sums = new Map<string, readonly Float64Array[]>();
  const armOf = armFinder(selection);
  const isCounted = eventFilter(selection);
  const priceOf = priceFinder(selection.prices);
  const costOfCall = (call: Call) => {
    if (call.costUsd !== null) return call.costUsd;
    const price = priceOf(call.model ?? "", call.serviceTier);
    return price && costOf(call, price);
  };
  const metrics = selection.metrics.map(metricReader);

  function columnsOf(arm: string): readonly Float64Array[] {
    let columns = sums.get(arm);
    if (columns === undefined) {
      const count = GUARD_COLUMNS.length + 2 * metrics.length;
      columns = Array.from({ length: count }, () => new Float64Array(GUARD_GROUPS));
      sums.set(arm, columns);
    }
    return columns;
  }

  return {
    sums,
    add(event) {
      if (!isCounted(event)) return;
      const arm = armOf(event);
      if (arm === null) return;
      const columns = columnsOf(arm);
      const group = murmur3(event.userId, 0) % GUARD_GROUPS;
      let cost: number | null = null;
      if (event.type === "exposure") columns[EXPOSURES]![group]! += 1;
      if (isCall(event)) {
        cost = costOfCall(event);
        for (const { index, addend } of COLUMNS_OF_CALL) columns[index]![group]! += addend(event, cost);
      }
      for (const [i, { read, weigh }] of metrics.entries()) {
        const value = read(event, cost);
        if (value === null) continue;
        const first = GUARD_COLUMNS.length + 2 * i;
        columns[first]![group]! += weigh(event) * value;
        columns[first + 1]![group]! += weigh(event);
      }
    },
  };
}

function isCall(event: StoredEvent): event is Call {
  return event.type === "model_call";
}

function isCompleted({ error }: Call): boolean {
  return error !== true;
}

function eventFilter({ orgId, experimentId, occurredFrom, exclusions }: GuardSelection) {
  const isExcluded = excludedBy(exclusions);
  return (event: StoredEvent) =>
    event.orgId === orgId &&
    event.experimentId === experimentId &&
    event.occurredAt >= occurredFrom &&
    !event.markedTest &&
    !event.userId.startsWith(TEST_USER_PREFIX) &&
    // An exposure counts only if it names its variant and is not ineligible.
    (event.type !== "exposure" || (Boolean(event.variant) && !event.ineligibleReason)) &&
    !isExcluded(event);
}

/** The variant that the event names, otherwise the owner of the unit's bucket; null if it is not compared. */
function armFinder({ arms, owners, experimentId, unit }: GuardSelection) {
  const compared = new Set(arms);
  const buckets = compileBuckets((owners?.ends ?? []).map((end, i) => [end, i]));
  const inputs = owners && { ...owners, id: experimentId };
  return (event: StoredEvent): string | null => {
    let arm = event.variant ?? "";
    if (arm === "" && inputs !== null) {
      const unitId = (unit === "user" ? event.userId : event.unitId) ?? "";
      arm = inputs.variants[variantAt(buckets, bucketOf(inputs, unitId))]!;
    }
    return compared.has(arm) ? arm : null;
  };
}

/** How a metric reads an event: its value, null without one, and how many events it counts for. */
function metricReader({ source, acceptFrom }: GuardSelection["metrics"][number]) {
  const isAccepted = ({ source: from }: StoredEvent) =>
    acceptFrom === null || (from !== null && (acceptFrom as readonly string[]).includes(from));
  if (source.event === "business_event")
    return {
      read: (event: StoredEvent) =>
        event.type === "business_event" && event.businessMetric === source.businessMetric && isAccepted(event)
          ? event.value
          : null,
      weigh: (event: StoredEvent) => weightOfEvent(event.samplingProbability),
    };
  const { property } = EVENT_FIELD_LIST.find(({ name }) => name === source.field)!;
  return {
    read: (event: StoredEvent, cost: number | null) => {
      if (!isCall(event) || !isAccepted(event)) return null;
      const value = property === "costUsd" ? cost : event[property];
      return value === null ? null : Number(value);
    },
    // Not weighted: the metric is per received call. Business events are per exposure, so they make up for what a sampler dropped.
    weigh: () => 1,
  };
}
