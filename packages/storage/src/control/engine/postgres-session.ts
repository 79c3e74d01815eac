import pg from "pg";

const CONNECT_TIMEOUT_MS = 2_000;
/** Time between two heartbeats. */
const HEARTBEAT_MS = 400;
/** A heartbeat without an answer within this time ends the session. */
const HEARTBEAT_TIMEOUT_MS = 1_500;
/** If a timer is late by more than this, this process stalled and not the server. */
const LATE_MS = 2 * HEARTBEAT_MS;

/**
 * When this machine or its network vanishes, the server notices within 5 s, ends the session and frees its locks. This
 * side notices within 2 s, so it gives up its locks before another process gets them.
 */
const SETTINGS = [
  "set tcp_keepalives_idle = 2",
  "set tcp_keepalives_interval = 1",
  "set tcp_keepalives_count = 3",
  "set tcp_user_timeout = 5000",
  // A lost heartbeat is followed by another one, so heartbeats need no sync.
  "set synchronous_commit = off",
].join(";");

/** A session outside the pool. Heartbeats detect its end quickly. */
export interface Session {
  readonly client: pg.Client;
  /** Resolves when the session has ended or no longer answers. */
  readonly lost: Promise<void>;
  close(): Promise<void>;
}

/** Opens a session and sends heartbeats. A heartbeat that fails or takes too long ends the session. */
export async function openSession(
  url: string,
  prepare: (client: pg.Client) => Promise<void>,
  heartbeat: (client: pg.Client) => Promise<void>,
): Promise<Session> {
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
  // Further errors of a lost connection do not matter, but without a listener they would end the process.
  client.on("error", () => {});
  // Closed without waiting, because a vanished server does not answer.
  const hangUp = () => void client.connection.stream.destroy();
  try {
    await inTime(client.connect());
    await inTime(client.query(SETTINGS));
    await inTime(prepare(client));
  } catch (error) {
    hangUp();
    throw error;
  }
  const stopHeartbeats = startHeartbeats(() => heartbeat(client), hangUp);
  void lost.then(stopHeartbeats);
  return {
    client,
    lost,
    async close() {
      stopHeartbeats();
      // Closes gracefully if the server answers, otherwise by force.
      await inTime(client.end(), HEARTBEAT_TIMEOUT_MS).catch(() => undefined);
      hangUp();
    },
  };
}

function startHeartbeats(heartbeat: () => Promise<void>, onTimeout: () => void): () => void {
  let sentAt: number | null = null;
  let tickedAt = performance.now();
  const tick = () => {
    const now = performance.now();
    const isLate = now - tickedAt > LATE_MS;
    tickedAt = now;
    if (sentAt !== null) {
      if (!isLate && now - sentAt > HEARTBEAT_TIMEOUT_MS) onTimeout();
      return;
    }
    sentAt = now;
    heartbeat().then(() => {
      sentAt = null;
    }, onTimeout);
  };
  const timer = setInterval(tick, HEARTBEAT_MS).unref();
  return () => clearInterval(timer);
}

/** The timer keeps the process alive, because a lost connection does not. */
async function inTime<T>(work: Promise<T>, timeoutMs = CONNECT_TIMEOUT_MS): Promise<T> {
  work.catch(() => undefined);
  const { promise: tooLong, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("PostgreSQL does not answer.")), timeoutMs);
  return Promise.race([work, tooLong]).finally(() => clearTimeout(timer));
}
