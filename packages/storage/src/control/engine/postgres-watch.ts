import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Change, ChangeWatch, Coordination } from "@assay/domain";
import type { Kysely } from "kysely";
import { CHANGE_CHANNEL, parseChange } from "../dialect/postgres-dialect.ts";
import type { Database } from "../schema/schema.ts";
import { type Line, openLine } from "./postgres-session.ts";

/** What was committed longer ago than this is known while the watch is current. */
const CURRENT_MS = 1_000;
/** A little longer: nobody's clock is that exact. */
const KNOWN_MS = CURRENT_MS + 50;
const RECONNECT_MS = 250;
const POLL_MS = 1_000;

type Listener = Parameters<Coordination["watchChanges"]>[0];

/**
 * Watches the changes of a schema: by LISTEN on a line of its own and, while that is down or goes through a pool that loses
 * notifications, by asking each second which config versions and which key epoch there are.
 */
export async function watchPostgres(
  url: string,
  db: Kysely<Database>,
  listener: Listener,
): Promise<ChangeWatch> {
  const closing = new AbortController();
  /** When the last beat was sent that came back: everything that was committed before it has been told. */
  let heardOf = Number.NEGATIVE_INFINITY;
  const isCurrent = () => performance.now() - heardOf <= CURRENT_MS;

  async function listen(): Promise<void> {
    const line = await openListening(url, {
      onChange: listener.onChange,
      onBeat(sentAt) {
        heardOf = sentAt;
      },
    });
    const hangUp = () => void line.close();
    closing.signal.addEventListener("abort", hangUp, { once: true });
    listener.onGap();
    if (closing.signal.aborted) hangUp();
    await line.lost;
    heardOf = Number.NEGATIVE_INFINITY;
    closing.signal.removeEventListener("abort", hangUp);
  }

  const { promise: tried, resolve: onTried } = Promise.withResolvers<void>();
  const listening = untilClosed(closing.signal, RECONNECT_MS, async () => {
    const line = listen();
    // The first line stands, or cannot be had: both are a start.
    void sleepUntil(isCurrent, closing.signal).then(onTried);
    await line.catch(() => undefined).finally(onTried);
  });
  const poll = createPoll(db, listener);
  const polling = untilClosed(closing.signal, POLL_MS, async () => {
    if (isCurrent()) poll.forget();
    else await poll.ask().catch(() => undefined);
  });
  await tried;
  return {
    isCurrent,
    untilPropagated: () => sleep(KNOWN_MS, undefined, { signal: closing.signal }).catch(() => undefined),
    async close() {
      closing.abort();
      await Promise.all([listening, polling]);
    },
  };
}

interface Heard {
  readonly onChange: (change: Change) => void;
  /** With when it was sent (`performance.now`). */
  readonly onBeat: (sentAt: number) => void;
}

/** A beat is a notification to itself: through a pool that loses notifications none comes back, and the watch is not current. */
async function openListening(url: string, { onChange, onBeat }: Heard): Promise<Line> {
  const beats = `assay_beat_${randomUUID().replaceAll("-", "")}`;
  let onReturn: (() => void) | null = null;
  return openLine(
    url,
    async (client) => {
      client.on("notification", ({ channel, payload = "" }) => {
        if (channel === beats) {
          onBeat(Number(payload));
          onReturn?.();
          return;
        }
        const change = parseChange(payload);
        if (change !== null) onChange(change);
      });
      const { rows } = await client.query<{ channel: string }>(`select ${CHANGE_CHANNEL} as channel`);
      await client.query(`listen ${beats}`);
      await client.query(`listen ${rows[0]?.channel}`);
    },
    async (client) => {
      const returned = new Promise<void>((resolve) => {
        onReturn = resolve;
      });
      await client.query("select pg_notify($1, $2)", [beats, String(performance.now())]);
      await returned;
    },
  );
}

/** Asks for what a line would have told. Plans are read again every few seconds anyway. */
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
