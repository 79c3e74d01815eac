import { murmur3 } from "@assay/bucketing";
import {
  type JudgeableCall,
  type JudgeableCount,
  type JudgeableQuery,
  type JudgeableQuotas,
  type StoredEvent,
  TEST_USER_PREFIX,
} from "@assay/domain";

interface JudgedUser {
  readonly userId: string;
  readonly arm: string;
  /** Sorted by hash, ascending. */
  readonly calls: readonly StoredEvent[];
}

/** Computes the expected answer of `countJudgeable` from all events: slow, plain and independent of the SQL. */
export function referenceCounts(
  events: readonly StoredEvent[],
  query: JudgeableQuery,
): readonly JudgeableCount[] {
  const users = judgedUsers(events, query);
  const ranks = Array.from({ length: 50 }, (_, i) => i + 1);
  return [...new Set(users.map(({ arm }) => arm))].sort().flatMap((arm) =>
    ranks.flatMap((rank) => {
      const calls = users.filter((user) => user.arm === arm && user.calls.length >= rank).length;
      return calls === 0 ? [] : [{ arm, rank, calls }];
    }),
  );
}

/** Computes the expected answer of `drawJudgeable` in the same way. */
export function referenceDraw(
  events: readonly StoredEvent[],
  query: JudgeableQuery,
  quotas: JudgeableQuotas,
): readonly JudgeableCall[] {
  const users = judgedUsers(events, query);
  const drawn = Object.entries(quotas).flatMap(([arm, quota]) =>
    quota.flatMap((count, i) =>
      users
        .filter((user) => user.arm === arm && user.calls.length > i)
        .sort((a, b) => byHash(query, "user")(a.userId, b.userId))
        .slice(0, count)
        .map((user) => ({ user, call: user.calls[i]! })),
    ),
  );
  return drawn
    .map(({ user: { userId, arm, calls }, call }) => ({
      ...{ eventId: call.eventId, userId, unitId: null, arm, occurredAt: call.occurredAt },
      ...{ order: murmur3(`order|${call.eventId}`, 0), callsOfUser: calls.length },
      hasFailed: call.error === true,
      samplingProbability: call.samplingProbability ?? 1,
    }))
    .sort((a, b) => a.order - b.order || (a.eventId < b.eventId ? -1 : 1));
}

function judgedUsers(events: readonly StoredEvent[], query: JudgeableQuery): readonly JudgedUser[] {
  const seen = events.filter(
    ({ orgId, experimentId, occurredAt }) =>
      orgId === query.orgId && experimentId === query.experimentId && occurredAt < query.until,
  );
  return [...Map.groupBy(seen, ({ userId }) => userId)].flatMap(([userId, own]) => {
    const exposures = own.filter(({ type, variant }) => type === "exposure" && variant);
    const arms = new Set(exposures.map(({ variant }) => variant));
    const arm = exposures[0]?.variant;
    if (!arm || arms.size > 1 || userId.startsWith(TEST_USER_PREFIX)) return [];
    const t0 = Math.min(...exposures.map(({ occurredAt }) => occurredAt));
    const calls = own
      .filter((event) => event.type === "model_call" && event.occurredAt >= Math.max(t0, query.from))
      .filter(({ variant }) => !variant || variant === arm)
      .filter(({ error, response }) => error || response)
      .filter(({ eventId }) => !eventId.includes("\0"))
      .sort((a, b) => byHash(query, "call")(a.eventId, b.eventId));
    return calls.length === 0 ? [] : [{ userId, arm, calls }];
  });
}

type Purpose = "call" | "user";

const hash = ({ salt }: JudgeableQuery, purpose: Purpose, id: string) =>
  murmur3(`${salt}|${purpose}|${id}`, 0);

const byHash = (query: JudgeableQuery, purpose: Purpose) => (a: string, b: string) =>
  hash(query, purpose, a) - hash(query, purpose, b) || (a < b ? -1 : 1);
