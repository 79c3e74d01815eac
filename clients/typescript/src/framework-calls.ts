import type { Client } from "./client.ts";
import type { EventPayload } from "./event-row.ts";
import type { FrameworkObserver } from "./model-call/call-record.ts";
import { textAt } from "./model-call/foreign-value.ts";
import type { KeptEvent } from "./offline-store.ts";

/** The answer of a wrapped client's call that was made while a framework's call was open. */
interface Answer {
  readonly identity: EventPayload;
  readonly id: string;
  /** The event, which waits in the queue. */
  readonly row: KeptEvent;
}

/** A framework may never report how a call ended. */
const MAX_OPEN = 1_000;
/** For so long, an open call has exposed its user. */
const EXPOSURE_MS = 600_000;

/** Where the id of an answer is: in those of providers, and in what LangChain and the OpenAI Agents SDK report of them. */
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
 * Counts a call once that both a framework's handler and a wrapped client below it observe. Nothing tells the client that it is below a
 * framework. But the framework's call begins before and ends after the client's, and both have the answer's id.
 */
class FrameworkCalls implements FrameworkObserver {
  readonly #client: Client;
  readonly #startedAt = new WeakMap<EventPayload, number>();
  /** The calls of frameworks that have not ended. */
  readonly #open = new Set<EventPayload>();
  #answers: Answer[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  start(identity: EventPayload, isFramework: boolean | undefined): boolean {
    const now = performance.now();
    this.#startedAt.set(identity, now);
    if (!isFramework) return this.#around(identity).some((other) => now - this.#startOf(other) < EXPOSURE_MS);
    this.#open.add(identity);
    for (const oldest of this.#open) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#open.delete(oldest);
    }
    return false;
  }

  end(identity: EventPayload, event: EventPayload, answer: unknown): void {
    const id = idOf(answer);
    if (this.#open.delete(identity)) {
      const same = this.#takeAnswer(identity, id);
      if (same) addPlace(same.row, event);
      else this.#client.track("model_call", event);
      return;
    }
    const before = this.#client.lastRow;
    this.#client.track("model_call", event);
    const row = this.#client.lastRow;
    if (row && row !== before && this.#around(identity).length > 0) this.#answers.push({ identity, id, row });
  }

  /** Removes and returns the answer with this id that came during a framework's call. A call that failed has no id. */
  #takeAnswer(identity: EventPayload, id: string): Answer | undefined {
    const found = this.#answers.find(
      (answer) =>
        answer.id === id &&
        isSame(answer.identity, identity) &&
        this.#startOf(answer.identity) >= this.#startOf(identity),
    );
    this.#answers = this.#open.size > 0 ? this.#answers.filter((answer) => answer !== found) : [];
    return found;
  }

  /** The open calls of frameworks that this call may be a part of. */
  #around(identity: EventPayload): readonly EventPayload[] {
    return [...this.#open].filter(
      (other) => isSame(other, identity) && this.#startOf(other) <= this.#startOf(identity),
    );
  }

  #startOf(identity: EventPayload): number {
    return this.#startedAt.get(identity) ?? 0;
  }
}

/** To be called for each client that a framework's handler is made for. */
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

/** Adds where the framework made the call to an event that waits in the queue. One that has left it stays as it is. */
function addPlace(event: KeptEvent, { run_id, agent_name }: EventPayload): void {
  const row = JSON.stringify({ run_id, agent_name, ...JSON.parse(event.row) });
  // Its `bytes` stay: the sender's sums have them, and the difference does not matter.
  Object.assign(event, { row });
}
