import { setTimeout as sleep } from "node:timers/promises";
import { DomainError, StartupError } from "@assay/domain";
import { JetStreamApiError } from "@nats-io/jetstream";
import { connect, errors, type NatsConnection } from "@nats-io/transport-node";
import type { ServerAddress } from "./server-address.ts";

/** An election of a stream's leader takes 4 to 7 s. */
const RETRY_FOR_MS = 10_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;
const CONNECT_FOR_MS = 5_000;
const RECONNECT_PAUSE_MS = 250;
const PING_INTERVAL_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

/** Temporary errors of JetStream: elections, bursts, a retry that collides with its own first attempt. */
const PASSING_STATUS = [408, 429, 503];
const DUPLICATE_IN_PROCESS = 10_158;

/** A connection that reconnects forever, and that retries requests. */
export class NatsLine {
  readonly nc: NatsConnection;
  #isUp = true;
  #isClosing = false;
  readonly #waiters = new Set<() => void>();
  /** Cancels running attempts when the connection is lost, because their answers cannot arrive on a new one. */
  readonly #underWay = new Set<() => void>();

  constructor(nc: NatsConnection) {
    this.nc = nc;
    void this.#watch();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Resolves when the line is up, when it is closed for good, or after `timeoutMs`. */
  async whenUp(timeoutMs: number): Promise<void> {
    if (this.#isUp || this.#isClosing) return;
    const giveUp = new AbortController();
    const up = new Promise<void>((resolve) => this.#waiters.add(resolve));
    await Promise.race([up, sleep(timeoutMs, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
    giveUp.abort();
  }

  /**
   * Retries `attempt` through elections and reconnects for about ten seconds. Then it throws `storage-unavailable`; on a
   * permanent error, it does so at once.
   */
  async persist<T>(attempt: () => Promise<T>, retryForMs = RETRY_FOR_MS): Promise<T> {
    const deadline = performance.now() + retryForMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      await this.whenUp(deadline - performance.now());
      try {
        // Messages sent while the line is down would pile up in memory.
        if (!this.#isUp) throw new errors.ConnectionError("the connection to NATS is down");
        return await this.#untilLost(attempt);
      } catch (error) {
        if (error instanceof DomainError || error instanceof StartupError) throw error;
        const isLate = performance.now() + pauseMs > deadline;
        if (isLate || this.#isClosing || !isPassing(error)) throw unavailable(error);
        await sleep(pauseMs * (0.5 + Math.random() / 2));
      }
    }
  }

  /** Flushes sent messages if possible, and closes the connection. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    if (this.#isUp) await Promise.race([this.nc.flush().catch(() => undefined), sleep(2_000)]);
    await this.nc.close();
  }

  #untilLost<T>(attempt: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const lose = () => reject(new errors.ConnectionError("the connection to NATS was lost"));
      this.#underWay.add(lose);
      void attempt()
        .then(resolve, reject)
        .finally(() => this.#underWay.delete(lose));
    });
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.nc.status()) {
      if (type === "disconnect" || type === "close") {
        this.#isUp = false;
        for (const lose of this.#underWay) lose();
      }
      if (type === "reconnect") {
        this.#isUp = true;
        this.#wake();
      }
    }
  }

  #wake(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }
}

/** Connects within some seconds, or throws a `StartupError` that says how to fix it. Later, it reconnects forever. */
export async function openNatsLine({ connection }: ServerAddress): Promise<NatsLine> {
  const deadline = performance.now() + CONNECT_FOR_MS;
  for (;;) {
    try {
      const nc = await connect({
        ...connection,
        name: "assay",
        timeout: 2_000,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RECONNECT_PAUSE_MS,
        pingInterval: PING_INTERVAL_MS,
        // A password change must not end the connection of a running service.
        ignoreAuthErrorAbort: true,
      });
      return new NatsLine(nc);
    } catch (error) {
      if (error instanceof errors.AuthorizationError)
        throw new StartupError("NATS at ASSAY_QUEUE_URL refuses the user, password or token in the address.");
      if (performance.now() > deadline)
        throw new StartupError(
          "NATS at ASSAY_QUEUE_URL does not answer: check the address and that the server runs.",
          { cause: error },
        );
      await sleep(RECONNECT_PAUSE_MS);
    }
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof JetStreamApiError)
    return PASSING_STATUS.includes(error.status) || error.code === DUPLICATE_IN_PROCESS;
  return !(error instanceof errors.InvalidArgumentError || error instanceof errors.PermissionViolationError);
}

/** Creates the error of a queue that does not answer, with its cause. */
export function unavailable(cause: unknown): DomainError {
  const error = new DomainError("storage-unavailable", "The event queue does not answer.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  error.cause = cause;
  return error;
}
