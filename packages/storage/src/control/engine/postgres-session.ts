import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const CONNECT_TIMEOUT_MS = 2_000;
/** How often the line is asked for a sign of life. */
const BEAT_MS = 400;
/** A question that is not answered for so long was the last. */
const SILENCE_MS = 1_500;
/** A tick that comes later than this says that this process stood still, not the line. */
const LATE_MS = 2 * BEAT_MS;

/**
 * What the server does about a client that vanished with its machine or network: it finds out within 5 s, ends the session and
 * frees its locks. This side finds out within 2 s, so it has given the lead up before.
 */
const VANISHED = [
  "set tcp_keepalives_idle = 2",
  "set tcp_keepalives_interval = 1",
  "set tcp_keepalives_count = 3",
  "set tcp_user_timeout = 5000",
  // A beat that is lost with the server is repeated: nothing of it is worth a sync.
  "set synchronous_commit = off",
].join(";");

/** A session of its own, outside the pool, whose end is noticed soon. */
export interface Line {
  readonly client: pg.Client;
  /** Resolves when the session has ended, or no longer answers. */
  readonly lost: Promise<void>;
  close(): Promise<void>;
}

/** Opens a session and calls `beat` on it again and again: a `beat` that is not done in time, or fails, ends the line. */
export async function openLine(
  url: string,
  prepare: (client: pg.Client) => Promise<void>,
  beat: (client: pg.Client) => Promise<void>,
): Promise<Line> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 2_000,
  });
  const lost = new Promise<void>((resolve) => {
    client.once("error", () => resolve());
    client.once("end", () => resolve());
  });
  // Later errors of a connection that is lost are no news, but without a listener they would end the process.
  client.on("error", () => {});
  const hangUp = () => hangUpOn(client);
  try {
    await inTime(client.connect());
    await inTime(client.query(VANISHED));
    await inTime(prepare(client));
  } catch (error) {
    hangUp();
    throw error;
  }
  const stopBeating = startBeating(() => beat(client), hangUp);
  void lost.then(stopBeating);
  return {
    client,
    lost,
    async close() {
      stopBeating();
      // In order when it answers, or by force.
      await Promise.race([client.end().catch(() => undefined), sleep(SILENCE_MS, undefined, { ref: false })]);
      hangUp();
    },
  };
}

function startBeating(beat: () => Promise<void>, onSilence: () => void): () => void {
  let askedAt: number | null = null;
  let tickedAt = performance.now();
  const tick = () => {
    const now = performance.now();
    const isLate = now - tickedAt > LATE_MS;
    tickedAt = now;
    if (askedAt !== null) {
      if (!isLate && now - askedAt > SILENCE_MS) onSilence();
      return;
    }
    askedAt = now;
    beat().then(() => {
      askedAt = null;
    }, onSilence);
  };
  const timer = setInterval(tick, BEAT_MS).unref();
  return () => clearInterval(timer);
}

/** An end that is not waited for: who vanished does not answer to it. */
function hangUpOn(client: pg.Client): void {
  client.connection.stream.destroy();
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  const timeout = sleep(CONNECT_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error("PostgreSQL does not answer.");
  });
  timeout.catch(() => undefined);
  return Promise.race([work, timeout]);
}
