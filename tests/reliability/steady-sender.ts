import { setTimeout as sleep } from "node:timers/promises";
import { send } from "../e2e/support/service.ts";
import { batchAt, type LoadPlan } from "./load.ts";

interface SenderOptions {
  /** Addresses of the same service. If one fails, the batch goes to the next. */
  readonly urls: readonly string[];
  readonly key: Readonly<Record<string, string>>;
  readonly plan: LoadPlan;
  readonly batchesPerSecond: number;
  readonly random: () => number;
}

/** What a client of the service saw during a period. */
export interface Seen {
  readonly events: number;
  /** The longest time without an acknowledgement, by experiment in the plan's order. */
  readonly longestGapsMs: readonly number[];
  /** Time from the first try of a batch to its acknowledgement. */
  readonly slowestBatchMs: number;
  /** Requests without an acknowledgement, by answer or error. Their batches were sent again. */
  readonly failures: Readonly<Record<string, number>>;
  /** Acknowledged batches that were sent again. */
  readonly repeats: number;
}

/** The batches of one experiment. They do not wait for the other experiment's batches. */
interface Lane {
  readonly waiting: number[];
  inFlight: number;
  lastAckAt: number;
  longestGapMs: number;
}

const REQUESTS_PER_LANE = 4;
const REPEAT_SHARE = 0.05;
/** The service retries for about ten seconds before it refuses a batch. */
const REQUEST_MS = 20_000;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1_000;
const POLL_MS = 10;

/**
 * Sends a fixed number of events per second. Like the client libraries, it sends each batch until it is
 * acknowledged, and after an error the same batch to the next address. So after `pause`, every event sent is
 * acknowledged.
 */
export class SteadySender {
  readonly #options: SenderOptions;
  #batches = 0;
  readonly #lanes: readonly Lane[];
  #turn = 0;
  #ticking: NodeJS.Timeout | null = null;
  #seen = nothingSeen();
  #fault: Error | null = null;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#lanes = options.plan.experiments.map(() => ({
      waiting: [],
      inFlight: 0,
      lastAckAt: 0,
      longestGapMs: 0,
    }));
  }

  get batches(): number {
    return this.#batches;
  }

  get events(): number {
    return this.#batches * this.#options.plan.batchSize;
  }

  start(): void {
    const started = performance.now();
    const before = this.#batches;
    for (const lane of this.#lanes) lane.lastAckAt = started;
    this.#ticking = setInterval(() => {
      const due =
        before + Math.floor(((performance.now() - started) * this.#options.batchesPerSecond) / 1000);
      while (this.#batches < due) this.#laneOf(this.#batches).waiting.push(this.#batches++);
      for (const lane of this.#lanes) this.#pump(lane);
    }, POLL_MS);
  }

  /** Starts no new batch. Resolves once every started batch is acknowledged. */
  async pause(timeoutMs = 120_000): Promise<void> {
    clearInterval(this.#ticking ?? undefined);
    const deadline = performance.now() + timeoutMs;
    const isBusy = () => this.#lanes.some(({ waiting, inFlight }) => inFlight > 0 || waiting.length > 0);
    while (this.#fault === null && isBusy()) {
      if (performance.now() > deadline) throw new Error("Batches are still not acknowledged.");
      await sleep(POLL_MS);
    }
    if (this.#fault !== null) throw this.#fault;
  }

  /** Returns what was seen since the last call. */
  takeSeen(): Seen {
    const { firstBatch, ...seen } = this.#seen;
    this.#seen = { ...nothingSeen(), firstBatch: this.#batches };
    const longestGapsMs = this.#lanes.map(({ longestGapMs }) => longestGapMs);
    for (const lane of this.#lanes) lane.longestGapMs = 0;
    return { ...seen, longestGapsMs, events: (this.#batches - firstBatch) * this.#options.plan.batchSize };
  }

  #laneOf(batch: number): Lane {
    return this.#lanes[batch % this.#lanes.length]!;
  }

  #pump(lane: Lane): void {
    while (lane.inFlight < REQUESTS_PER_LANE && lane.waiting.length > 0) {
      lane.inFlight += 1;
      void this.#deliver(lane.waiting.shift()!, lane)
        .catch((error: Error) => {
          this.#fault = error;
        })
        .finally(() => {
          lane.inFlight -= 1;
          this.#pump(lane);
        });
    }
  }

  async #deliver(index: number, lane: Lane): Promise<void> {
    const body = { events: batchAt(index, this.#options.plan) };
    const started = performance.now();
    await this.#sendUntilTaken(body);
    const now = performance.now();
    lane.longestGapMs = Math.max(lane.longestGapMs, now - lane.lastAckAt);
    lane.lastAckAt = now;
    this.#seen.slowestBatchMs = Math.max(this.#seen.slowestBatchMs, now - started);
    if (this.#options.random() >= REPEAT_SHARE) return;
    this.#seen.repeats += 1;
    await this.#sendUntilTaken(body);
  }

  async #sendUntilTaken(body: { readonly events: readonly object[] }): Promise<void> {
    const { urls, key, random } = this.#options;
    let turn = this.#turn++;
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
      const url = urls[turn++ % urls.length]!;
      const fault = await this.#try(url, { headers: key, body, timeoutMs: REQUEST_MS });
      if (fault === null) return;
      const { failures } = this.#seen;
      failures[fault] = (failures[fault] ?? 0) + 1;
      await sleep(retryMs * (0.5 + random()));
    }
  }

  /** Null: accepted. */
  async #try(
    url: string,
    request: { headers: Record<string, string>; body: { events: readonly object[] }; timeoutMs: number },
  ) {
    try {
      const { status, body } = await send<{ accepted: number }>(`${url}/v1/events`, "POST", request);
      if (status >= 500 || status === 429) return String(status);
      if (status !== 202 || body.accepted !== request.body.events.length)
        this.#fault = new Error(`Good rows were answered ${status}: ${JSON.stringify(body)}`);
      return null;
    } catch (error) {
      return faultOf(error);
    }
  }
}

const nothingSeen = () => ({
  firstBatch: 0,
  slowestBatchMs: 0,
  failures: {} as Record<string, number>,
  repeats: 0,
});

function faultOf(error: unknown): string {
  const cause = (error as { cause?: { code?: string } }).cause;
  return cause?.code ?? (error as Error).name;
}
