import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Change, ChangeWatch, Coordination } from "@assay/domain";
import type { Kysely } from "kysely";
import { CHANGE_CHANNEL, parseChange } from "../dialect/postgres-dialect.ts";
import type { Database } from "../schema/schema.ts";
import { openSession, type Session } from "./postgres-session.ts";

/** While the watch is current, this process knows every change that was committed longer ago than this. */
const CURRENT_MS = 1_000;
/** A little longer, because timers are not exact. */
const PROPAGATED_MS = CURRENT_MS + 50;
const RECONNECT_MS = 250;
const POLL_MS = 1_000;

type Listener = Parameters<Coordination["watchChanges"]>[0];

/**
 * Watches the changes of a schema by LISTEN in its own session. While that session is down, or uses a pooler that loses
 * notifications, it polls the config versions and the key epoch every second.
 */
export async function watchPostgres(
  url: string,
  db: Kysely<Database>,
  listener: Listener,
): Promise<ChangeWatch> {
  const closing = new AbortController();
  /**
   * Time at which the last returned heartbeat was sent: everything committed before it has been received.
   */
  let currentAt = Number.NEGATIVE_INFINITY;
  const isCurrent = () => performance.now() - currentAt <= CURRENT_MS;

  async function listen(): Promise<void> {
    const session = await openListening(url, {
      onChange: listener.onChange,
      onHeartbeat(sentAt) {
        currentAt = sentAt;
      },
    });
    const close = () => void session.close();
    closing.signal.addEventListener("abort", close, { once: true });
    listener.onGap();
    if (closing.signal.aborted) close();
    await session.lost;
    currentAt = Number.NEGATIVE_INFINITY;
    closing.signal.removeEventListener("abort", close);
  }

  const { promise: tried, resolve: onTried } = Promise.withResolvers<void>();
  const listening = untilClosed(closing.signal, RECONNECT_MS, async () => {
    const session = listen();
    // The watch starts once the first session is up or has failed.
    void sleepUntil(isCurrent, closing.signal).then(onTried);
    await session.catch(() => undefined).finally(onTried);
  });
  const poll = createPoll(db, listener);
  const polling = untilClosed(closing.signal, POLL_MS, async () => {
    if (isCurrent()) poll.forget();
    else await poll.ask().catch(() => undefined);
  });
  await tried;
  return {
    isCurrent,
    untilPropagated: () => sleep(PROPAGATED_MS, undefined, { signal: closing.signal }).catch(() => undefined),
    async close() {
      closing.abort();
      await Promise.all([listening, polling]);
    },
  };
}

interface SessionListener {
  readonly onChange: (change: Change) => void;
  /** With the time at which it was sent (`performance.now`). */
  readonly onHeartbeat: (sentAt: number) => void;
}

/**
 * The heartbeat is a notification that the session sends to itself. A pooler that loses notifications also loses the
 * heartbeats, so the watch does not count as current.
 */
async function openListening(url: string, { onChange, onHeartbeat }: SessionListener): Promise<Session> {
  const heartbeats = `assay_beat_${randomUUID().replaceAll("-", "")}`;
  let onReturn: (() => void) | null = null;
  return openSession(
    url,
    async (client) => {
      client.on("notification", ({ channel, payload = "" }) => {
        if (channel === heartbeats) {
          onHeartbeat(Number(payload));
          onReturn?.();
          return;
        }
        const change = parseChange(payload);
        if (change !== null) onChange(change);
      });
      const { rows } = await client.query<{ channel: string }>(`select ${CHANGE_CHANNEL} as channel`);
      await client.query(`listen ${heartbeats}`);
      await client.query(`listen ${rows[0]?.channel}`);
    },
    async (client) => {
      const returned = new Promise<void>((resolve) => {
        onReturn = resolve;
      });
      await client.query("select pg_notify($1, $2)", [heartbeats, String(performance.now())]);
      await returned;
    },
  );
}

/** Polls for the changes that the session would have reported. Plans are reread every few seconds anyway. */
function createPoll(db: Kysely<Database>, { onChange, onGap }: Listener) {
  let seen: { readonly versions: ReadonlyMap<string, number>; readonly epoch: number } | null = null;
  return {
    forget() {
      seen = null;
    },
    async ask(): Promise<void> {
      const before = seen;
      const orgs = await db.selectFrom("orgs").select(["id", "configVersion"]).execute();
      const { epoch } = await db.selectFrom("keyEpochs").select("epoch").executeTakeFirstOrThrow();
      const versions = new Map(orgs.map(({ id, configVersion }) => [id, configVersion]));
      seen = { versions, epoch };
      if (before === null || before.epoch !== epoch) return onGap();
      for (const [orgId, version] of versions)
        if (before.versions.get(orgId) !== version) onChange({ kind: "config", orgId });
    },
  };
}

async function untilClosed(closing: AbortSignal, pauseMs: number, round: () => Promise<void>): Promise<void> {
  while (!closing.aborted) {
    await round();
    await sleep(pauseMs, undefined, { signal: closing }).catch(() => undefined);
  }
}

async function sleepUntil(condition: () => boolean, closing: AbortSignal): Promise<void> {
  while (!condition() && !closing.aborted) await sleep(10, undefined, { ref: false });
}
