import {
  type EventStore,
  factsOfLog,
  factsOfSpan,
  type Json,
  ownExposures,
  type StoredEvent,
  settleTrace,
  type TraceFact,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import { appendTo } from "./judgeable-events.ts";
import { T0, wholeExperiment } from "./stored-event.ts";

const HOUR_MS = 3_600_000;

/** Tests the counts of traces that never arrived. */
export function describeLoggedTraces(storeOf: () => EventStore): void {
  describe("traces with a logged evaluation", () => loggedTraces(storeOf));
}

interface TraceParts {
  readonly trace: number;
  readonly user?: string;
  readonly variant?: string;
  readonly at?: number;
  readonly parts: readonly ("log" | "span" | "call")[];
}

/** Makes the events that result from a trace, with their real ids. */
function eventsOf({
  trace,
  user = "u",
  variant = "a",
  at = T0,
  parts,
}: TraceParts): readonly Partial<StoredEvent>[] {
  const traceId = trace.toString(16).padStart(32, "0");
  const evaluation: Readonly<Record<string, Json>> = {
    "feature_flag.key": "exp",
    "feature_flag.result.variant": variant,
    "feature_flag.context.id": user,
  };
  const attributes = new Map<string, Json>(Object.entries(evaluation));
  const spanOf = (spanId: string, values: ReadonlyMap<string, Json>) =>
    factsOfSpan({
      ...{ traceId, spanId: spanId.repeat(16), parentId: null, scope: "s", startedAt: at, endedAt: at + 1 },
      ...{ isFailed: false, events: [], attributes: values },
    });
  const facts = parts.flatMap((part): readonly TraceFact[] => {
    if (part === "log")
      return factsOfLog({
        ...{ traceId, spanId: null, name: "feature_flag.evaluation", at, body: null, attributes },
      });
    if (part === "span") return spanOf("1", attributes);
    return spanOf(
      "2",
      new Map([
        ["gen_ai.operation.name", "chat"],
        ["gen_ai.system", "openai"],
      ]),
    );
  });
  const found = { traceId, facts };
  const experimentOf = () => ({ id: "exp", unit: "user" }) as const;
  const rows = [...ownExposures(found, experimentOf), ...settleTrace(found, experimentOf).rows];
  return rows.map((row) => ({
    ...{ eventId: String(row.event_id), type: row.type as StoredEvent["type"], source: "otlp" },
    ...{ userId: String(row.user_id), variant: String(row.variant), occurredAt: Number(row.timestamp) },
  }));
}

function loggedTraces(storeOf: () => EventStore): void {
  async function load(
    traces: readonly TraceParts[],
    {
      more = [],
      maxUsers = 100,
    }: { readonly more?: readonly Partial<StoredEvent>[]; readonly maxUsers?: number } = {},
  ) {
    const { orgId, stored } = await appendTo(storeOf(), [...traces.flatMap(eventsOf), ...more]);
    // Redelivered events count once.
    await storeOf().append(stored);
    return storeOf().loadLoggedTraces({
      ...wholeExperiment(orgId),
      ...{ until: T0 + 2 * HOUR_MS, evaluatedUntil: T0 + HOUR_MS, periodStarts: [T0 + 10], maxUsers },
    });
  }
  const one = { arm: "a", period: 0 };

  test.each<{ name: string; traces: readonly TraceParts[]; found: readonly object[] }>([
    {
      name: "with a call came",
      traces: [{ trace: 1, parts: ["log", "call"] }],
      found: [{ ...one, traces: 1, lost: 0 }],
    },
    {
      name: "without anything else are lost",
      traces: [
        { trace: 1, parts: ["log", "call"] },
        { trace: 2, parts: ["log"] },
        { trace: 3, parts: ["log"] },
      ],
      found: [{ ...one, traces: 3, lost: 2 }],
    },
    {
      name: "with an evaluation on a span came, even without a call",
      traces: [{ trace: 1, parts: ["log", "span"] }],
      found: [{ ...one, traces: 1, lost: 0 }],
    },
    {
      name: "are not those whose evaluations are on spans alone",
      traces: [{ trace: 1, parts: ["span", "call"] }],
      found: [],
    },
    {
      name: "too young to have all calls are not counted, nor what lies outside of all traces",
      traces: [
        { trace: 1, at: T0 + HOUR_MS, parts: ["log"] },
        { trace: 0, parts: ["log"] },
        { trace: 2, parts: ["log", "call"] },
      ],
      found: [{ ...one, traces: 1, lost: 0 }],
    },
    {
      name: "of users in several variants are left out",
      traces: [
        { trace: 1, parts: ["log"] },
        { trace: 2, variant: "b", parts: ["log"] },
        { trace: 3, user: "v", variant: "b", parts: ["log"] },
      ],
      found: [{ arm: "b", period: 0, traces: 1, lost: 1 }],
    },
    {
      name: "are of the period of the first exposure",
      traces: [{ trace: 1, at: T0 + 10, parts: ["log"] }],
      found: [{ ...one, period: 1, traces: 1, lost: 1 }],
    },
  ])("$name", async ({ traces, found }) => {
    expect(await load(traces)).toEqual(found);
  });

  test("are of the arm of the user's first exposure, however that one came", async () => {
    const more = [{ userId: "u", variant: "a", source: "secret", occurredAt: T0 - 5 }];
    expect(await load([{ trace: 1, parts: ["log"] }], { more })).toEqual([{ ...one, traces: 1, lost: 1 }]);
  });

  test("are those of the first users, and none without events", async () => {
    const traces = Array.from({ length: 20 }, (_, i) => ({
      trace: i + 1,
      user: `u${i}`,
      parts: ["log"] as const,
    }));
    expect(await load(traces, { maxUsers: 3 })).toHaveLength(3);
    expect(await load([])).toEqual([]);
  });
}
