import type { ExclusionMatch, ExperimentExclusions, StoredEvent } from "@assay/domain";
import fc from "fast-check";
import { T0 } from "./stored-event.ts";

const HOUR_MS = 3_600_000;

const PROVENANCES: readonly Pick<StoredEvent, "source" | "keyPrefix" | "client">[] = [
  { source: "publishable", keyPrefix: "svc_pk_1", client: "assay-python/1.0.0" },
  { source: "publishable", keyPrefix: "svc_pk_2", client: null },
  { source: "secret", keyPrefix: "svc_sk_1", client: "assay-java/1.0.0" },
  { source: "import", keyPrefix: null, client: null },
  { source: null, keyPrefix: null, client: null },
];

/** Gives events one of a few origins, and ids that `someExclusions` knows. */
export function sent<E extends Partial<StoredEvent>>(events: readonly E[]) {
  return events.map((event, i) => ({ ...event, eventId: `e${i}`, ...PROVENANCES[i % PROVENANCES.length] }));
}

const someIds = (prefix: string, max: number) =>
  fc.uniqueArray(
    fc.nat({ max }).map((i) => `${prefix}${i}`),
    { minLength: 1, maxLength: 4 },
  );

const PARTS = {
  userIds: someIds("u", 6),
  eventIds: someIds("e", 80),
  source: fc.constantFrom("publishable" as const, "secret" as const, "signed" as const),
  keyPrefix: fc.constantFrom("svc_pk_1", "svc_pk_2"),
  client: fc.constantFrom("assay-python/1.0.0", "assay-java/1.0.0"),
  variant: fc.constantFrom("a", "b"),
  businessMetric: fc.constantFrom("revenue", "it's"),
  from: fc.integer({ min: -24, max: 48 }).map((hours) => T0 + hours * HOUR_MS),
  to: fc.integer({ min: -12, max: 72 }).map((hours) => T0 + hours * HOUR_MS),
} satisfies { readonly [Part in keyof ExclusionMatch]-?: fc.Arbitrary<ExclusionMatch[Part]> };

/** One part or two; with more, hardly any event matches. */
const someMatch: fc.Arbitrary<ExclusionMatch> = fc
  .record(PARTS)
  .chain((match) =>
    fc
      .subarray(Object.entries(match), { minLength: 1, maxLength: 2 })
      .map((parts): ExclusionMatch => Object.fromEntries(parts)),
  );

/** No exclusions, or a few that exclude some events of `someEvent`. */
export const someExclusions = fc.array(someMatch, { maxLength: 4 });

/** Removes excluded events in plain code, independently of the SQL. */
export function leftOf(
  events: readonly StoredEvent[],
  exclusions: readonly ExperimentExclusions[],
): readonly StoredEvent[] {
  return events.filter(
    (event) =>
      !exclusions.some(
        ({ experimentId, matches }) =>
          event.experimentId === experimentId && matches.some((match) => fits(event, match)),
      ),
  );
}

/** Returns whether every given part matches. */
export function fits(event: StoredEvent, match: ExclusionMatch): boolean {
  const { userIds, eventIds, from, to, ...values } = match;
  if (userIds !== undefined && !userIds.includes(event.userId)) return false;
  if (eventIds !== undefined && !eventIds.includes(event.eventId)) return false;
  if (from !== undefined && event.occurredAt < from) return false;
  if (to !== undefined && event.occurredAt >= to) return false;
  return Object.entries(values).every(([part, value]) => event[part as keyof typeof values] === value);
}
