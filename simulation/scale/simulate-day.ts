import { createDraw } from "../random/draw.ts";
import { loadCurve } from "./load-curve.ts";

const DAY_S = 86_400;
/** Arrivals differ from the curve by this share from second to second. */
const NOISE = 0.05;
/** A refused client retries after about this long (`Retry-After`, back-off). */
const RETRY_S = 10;
const STORED_AT_ONCE_S = 2;

/** A part that is down, fully or partly, for a while. */
export interface Fault {
  /** `accept`: API processes and the queue's acknowledgements; `store`: workers and the event store. */
  readonly part: "accept" | "store";
  readonly from: number;
  readonly seconds: number;
  /** Share of the capacity that remains. */
  readonly left: number;
}

export interface DayPlan {
  readonly name: string;
  /** Events per second. */
  readonly mean: number;
  readonly peakToMean: number;
  readonly acceptPerS: number;
  readonly storePerS: number;
  /** Capacity of the queue. */
  readonly queueEvents: number;
  /**
   * Capacity of all clients together while they are refused. Beyond it, the oldest events are lost, and clients count
   * them.
   */
  readonly clientEvents: number;
  readonly faults: readonly Fault[];
  /** Extra load on top of the curve: from, seconds, factor. */
  readonly burst?: { readonly from: number; readonly seconds: number; readonly factor: number };
}

/** A day's balance: offered = accepted + held by clients at the end + lost by clients; accepted = stored + waiting at the end. */
export interface DayResult {
  readonly offered: number;
  readonly accepted: number;
  readonly stored: number;
  readonly waitingAtEnd: number;
  readonly heldAtEnd: number;
  readonly lostByClients: number;
  /** Events in refused requests, counted at each attempt. */
  readonly refusals: number;
  readonly longestRefusalS: number;
  readonly largestBacklog: number;
  /** Age of the oldest event that waited, in seconds. */
  readonly oldestS: number;
  /** Seconds from the end of the last fault or burst until nothing waits longer than usual. */
  readonly drainS: number;
  /** The backlog at the end of each minute. */
  readonly backlogByMinute: readonly number[];
}

/** Simulates a day second by second; the same plan gives the same day. */
export function simulateDay(plan: DayPlan): DayResult {
  const draw = createDraw(`day ${plan.name}`);
  const curve = loadCurve(plan.peakToMean);
  const ends = [...plan.faults, ...(plan.burst === undefined ? [] : [plan.burst])];
  const lastEnd = Math.max(0, ...ends.map(({ from, seconds }) => from + seconds));
  const waiting = createBacklog();
  const clients = createClients(plan.clientEvents);
  const backlogByMinute: number[] = [];
  const sum = { offered: 0, accepted: 0, stored: 0, refusals: 0 };
  let [refusedS, longestRefusalS, largestBacklog, oldestS, lastLateS] = [0, 0, 0, 0, lastEnd];
  for (let second = 0; second < DAY_S; second++) {
    const fresh = plan.mean * curve(second) * burstAt(plan, second) * Math.max(0, 1 + NOISE * draw.normal());
    const offered = fresh + clients.retried();
    const room = plan.queueEvents - waiting.size();
    const accepted = Math.max(0, Math.min(offered, plan.acceptPerS * left(plan, "accept", second), room));
    clients.keep(offered - accepted);
    waiting.add(second, accepted);
    const stored = waiting.take(plan.storePerS * left(plan, "store", second));
    sum.offered += fresh;
    sum.accepted += accepted;
    sum.stored += stored;
    sum.refusals += offered - accepted;
    refusedS = offered - accepted > 0 ? refusedS + 1 : 0;
    longestRefusalS = Math.max(longestRefusalS, refusedS);
    largestBacklog = Math.max(largestBacklog, waiting.size());
    const age = waiting.age();
    oldestS = Math.max(oldestS, age);
    if (second >= lastEnd && age > STORED_AT_ONCE_S) lastLateS = second + 1;
    if (second % 60 === 59) backlogByMinute.push(waiting.size());
  }
  return {
    ...sum,
    waitingAtEnd: waiting.size(),
    heldAtEnd: clients.held(),
    lostByClients: clients.lost(),
    longestRefusalS,
    largestBacklog,
    oldestS,
    drainS: lastLateS - lastEnd,
    backlogByMinute,
  };
}

function burstAt({ burst }: DayPlan, second: number): number {
  if (burst === undefined || second < burst.from || second >= burst.from + burst.seconds) return 1;
  return burst.factor;
}

function left({ faults }: DayPlan, part: Fault["part"], second: number): number {
  const now = faults.filter(
    (fault) => fault.part === part && fault.from <= second && second < fault.from + fault.seconds,
  );
  return Math.min(1, ...now.map((fault) => fault.left));
}

/** First in, first out, by the second of arrival. */
function createBacklog() {
  const arrivals = new Float64Array(DAY_S);
  let [head, now, size] = [0, 0, 0];
  return {
    size: () => size,
    add(second: number, events: number) {
      now = second;
      arrivals[second] = events;
      size += events;
    },
    /** Takes up to this many of the oldest and returns how many it took. */
    take(limit: number): number {
      let taken = 0;
      while (head <= now && taken < limit) {
        const part = Math.min(arrivals[head]!, limit - taken);
        arrivals[head]! -= part;
        taken += part;
        if (arrivals[head]! > 0) break;
        head += 1;
      }
      // Rounding must not leave an empty backlog.
      size = head > now ? 0 : size - taken;
      return taken;
    },
    /** Age of the oldest event; 0 when nothing waits. */
    age: () => (head > now ? 0 : now - head),
  };
}

/** Refused events wait in the clients, which retry a tenth of them each second. */
function createClients(limit: number) {
  let [held, lost] = [0, 0];
  return {
    held: () => held,
    lost: () => lost,
    retried(): number {
      const events = held / RETRY_S;
      held -= events;
      return events;
    },
    keep(events: number) {
      held += events;
      lost += Math.max(0, held - limit);
      held = Math.min(held, limit);
    },
  };
}
