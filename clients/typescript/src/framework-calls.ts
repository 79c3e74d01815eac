import type { Client } from "./client.ts";
import type { EventPayload } from "./event-row.ts";
import { keepNewest } from "./keep-newest.ts";
import type { FrameworkObserver, FrameworkState } from "./model-call/call-record.ts";
import { textAt } from "./model-call/foreign-value.ts";
import type { KeptEvent } from "./offline-store.ts";

/** A wrapped client's call, made while a framework's call was open. */
interface Inner {
  readonly identity: EventPayload;
  /** The id of its answer. Empty for a call without one. */
  readonly id: string;
  /** Its event, which waits in the queue. */
  readonly row: KeptEvent;
}

/** A wrapped client's call that failed. The framework may try again. */
interface Failed {
  readonly identity: EventPayload;
  readonly endedAt: number;
  /** Its event, which is not recorded yet. */
  readonly event: EventPayload;
}

/** How many inner calls are kept for a framework to recognize as its own. */
const MAX_INNER = 200;
/** How long an open call counts as its user's exposure. A framework may never report how a call ended. */
const EXPOSURE_MS = 600_000;

/** Where an answer's id is: in providers' answers, and in what LangChain and the OpenAI Agents SDK report. */
const IDS = [
  ["id"],
  ["responseId"],
  ["message", "id"],
  ["response", "id"],
  ["chunk", "message", "id"],
  ["generations", 0, 0, "message", "id"],
  ["spanData", "output", 0, "id"],
  ["spanData", "_response", "id"],
] as const;

/**
 * Counts a call once if both a framework's handler and a wrapped client inside the framework observe it. Nothing tells the client that
 * it is inside a framework. But the framework's call starts before and ends after the client's, and both have the answer's id.
 */
class FrameworkCalls implements FrameworkObserver {
  readonly #client: Client;
  readonly #startedAt = new WeakMap<EventPayload, number>();
  /** The calls of frameworks that have not ended. */
  readonly #open = new Map<EventPayload, FrameworkState>();
  /** The calls of wrapped clients that started while a framework waited for an answer. */
  readonly #inside = new WeakSet<EventPayload>();
  #inner: Inner[] = [];
  #failed: Failed[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  start(identity: EventPayload, framework: FrameworkState | undefined): boolean {
    const now = performance.now();
    this.#startedAt.set(identity, now);
    if (framework) {
      keepNewest(this.#open, identity, framework);
      return false;
    }
    const around = [...this.#open].filter(
      ([other, { isAnswered }]) =>
        !isAnswered && isSame(other, identity) && now - this.#startOf(other) < EXPOSURE_MS,
    );
    for (const [, state] of around) state.hasInner = true;
    if (around.length > 0) this.#inside.add(identity);
    return around.length > 0;
  }

  end(identity: EventPayload, event: EventPayload, answer: unknown): void {
    const id = idOf(answer);
    if (this.#open.delete(identity)) this.#endFramework(identity, event, id);
    else if (!this.#inside.has(identity)) this.#track(event);
    else if (event.error) this.#failed.push({ identity, endedAt: performance.now(), event });
    else {
      const row = this.#track(event);
      if (row) this.#inner = [...this.#inner.slice(-MAX_INNER), { identity, id, row }];
    }
  }

  #endFramework(identity: EventPayload, event: EventPayload, id: string): void {
    const isIn = ({ identity: inner }: Inner | Failed) =>
      isSame(inner, identity) && this.#startOf(inner) >= this.#startOf(identity);
    const same = this.#inner.find((inner) => isIn(inner) && inner.id === id);
    const failed = this.#failed.filter(isIn);
    this.#inner = this.#open.size > 0 ? this.#inner.filter((inner) => inner !== same) : [];
    this.#failed = this.#failed.filter((inner) => !failed.includes(inner));
    const { run_id, agent_name } = event;
    if (same) addPlace(same.row, { run_id, agent_name });
    else
      this.#track(event.error && failed.length > 0 ? { ...failed.at(-1)!.event, run_id, agent_name } : event);
    // Failed calls that ended before this one started were retried by the framework, so they do not count.
    const triedAgainAt = event.error ? Number.POSITIVE_INFINITY : same ? this.#startOf(same.identity) : 0;
    for (const inner of failed) if (inner.endedAt > triedAgainAt) this.#track(inner.event);
  }

  /** Tracks an event and returns it as it waits in the queue. */
  #track(event: EventPayload): KeptEvent | undefined {
    const before = this.#client.lastRow;
    this.#client.track("model_call", event);
    const row = this.#client.lastRow;
    return row === before ? undefined : row;
  }

  #startOf(identity: EventPayload): number {
    return this.#startedAt.get(identity) ?? 0;
  }
}

/** Call this for each client that a framework's handler is made for. */
export function expectFrameworkCalls(client: Client): void {
  client.frameworks ??= new FrameworkCalls(client);
}

function isSame(one: EventPayload, other: EventPayload): boolean {
  return (["experiment_id", "user_id", "unit_id"] as const).every((field) => one[field] === other[field]);
}

function idOf(answer: unknown): string {
  for (const path of IDS) {
    const id = textAt(answer, ...path);
    if (id) return id;
  }
  return "";
}

/** Adds the framework's run and agent to an event in the queue. An event that has left the queue stays unchanged. */
function addPlace(event: KeptEvent, place: object): void {
  const row = JSON.stringify({ ...place, ...JSON.parse(event.row) });
  // `bytes` stays the same, because the sender's sums include it. The difference does not matter.
  Object.assign(event, { row });
}

/** Moves an event in the queue to an earlier time. */
export function moveBack(event: KeptEvent | undefined, byMs: number): void {
  if (!event) return;
  const occurredAt = event.occurredAt - byMs;
  const fields = { ...JSON.parse(event.row), timestamp: new Date(occurredAt).toISOString() };
  Object.assign(event, { occurredAt, row: JSON.stringify(fields) });
}
