import { type Access, type Event, type EventAck, makeEvent } from "./experiment.ts";
import type { RunningService } from "./service.ts";

/** A batch that was sent at least once. */
interface Batch {
  readonly events: readonly Event[];
}

/** How a sender behaves; `random` gives numbers from 0 to 1. */
interface SenderOptions {
  readonly access: Access;
  readonly experimentId: string;
  readonly random: () => number;
  readonly lanes?: number;
  readonly batchSize?: number;
}

const RESEND_SHARE = 0.1;
const GIVE_UP_SHARE = 0.2;
const REQUEST_MS = 80_000;

/** Sends load and remembers what was acknowledged: the client's side of the promise that no such event is lost. */
export class Sender {
  readonly sent = new Map<string, Event>();
  readonly acknowledged = new Set<string>();
  /** Sent without an answer. They are sent again before anything new, except those that the sender gives up. */
  readonly #unanswered: Batch[] = [];
  readonly #options: Required<SenderOptions>;
  #lastAcknowledged: Batch | null = null;
  #users = 0;
  #isStopping = false;
  #running: readonly Promise<void>[] = [];
  /** Answers other than 202, by status. */
  readonly refusals = new Map<number, number>();

  constructor(options: SenderOptions) {
    this.#options = { lanes: 4, batchSize: 40, ...options };
  }

  /** Sends to a service until it no longer answers or `stop` is called. */
  start(service: RunningService): void {
    this.#isStopping = false;
    this.#running = Array.from({ length: this.#options.lanes }, () => this.#run(service));
  }

  /** Waits for the current requests to end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  async #run(service: RunningService): Promise<void> {
    while (!this.#isStopping) {
      const batch = this.#next();
      if (!(await this.#post(service, batch))) return;
    }
  }

  #next(): Batch {
    const unanswered = this.#unanswered.pop();
    if (unanswered) return unanswered;
    const { random } = this.#options;
    if (this.#lastAcknowledged && random() < RESEND_SHARE) return this.#lastAcknowledged;
    return this.#fresh();
  }

  #fresh(): Batch {
    const { experimentId, batchSize } = this.#options;
    const events = Array.from({ length: batchSize }, () => {
      const number = this.#users++;
      const variant = number % 2 === 0 ? "control" : "treatment";
      return makeEvent(experimentId, { type: "exposure", user_id: `user-${number}`, variant });
    });
    for (const event of events) this.sent.set(event.event_id, event);
    return { events };
  }

  /** False when the service is gone. */
  async #post(service: RunningService, batch: Batch): Promise<boolean> {
    const { access, random } = this.#options;
    const request = { headers: access.key, body: batch, timeoutMs: REQUEST_MS };
    const answer = await service.send<EventAck>("POST", "/v1/events", request).catch(() => null);
    if (answer?.status === 202) {
      if (answer.body.accepted !== batch.events.length) throw new Error("The service refused good rows.");
      for (const { event_id } of batch.events) this.acknowledged.add(event_id);
      this.#lastAcknowledged = batch;
      return true;
    }
    if (random() >= GIVE_UP_SHARE) this.#unanswered.push(batch);
    if (answer) this.refusals.set(answer.status, (this.refusals.get(answer.status) ?? 0) + 1);
    return answer !== null;
  }
}
