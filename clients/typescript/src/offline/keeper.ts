import type { KeptEvent, OfflineStore, Replay } from "../offline-store.ts";
import type { Keeper, SendQueue } from "../platform.ts";

/** Moves events between a queue and its store. */
export function createKeeper(store: OfflineStore, queue: SendQueue): Keeper {
  const [life, settled, takeHalf, keep, resend] = queue;
  let moving: readonly KeptEvent[] = [];
  let moved: Promise<unknown> | null = null;
  /** Undefined while it is being taken. The replay is over when the first `replayEnd` events of the queue are settled. */
  let replay: Replay | null | undefined = null;
  let replayEnd = 0;
  /** Whether the store may hold events. An earlier process may have left some. */
  let mayReplay = true;

  /** Queues one portion of the stored events. The next follows when that is settled, so that new events get their turn. */
  const replayNext = async () => {
    if (!mayReplay || replay !== null) return;
    mayReplay = false;
    replay = undefined;
    const taken = await store.takeReplay();
    replay = life.aborted ? null : taken;
    if (replay === null) return;
    mayReplay = true;
    replayEnd = resend(replay.events);
  };
  return {
    get moving() {
      return moving;
    },
    journal: (event) => store.journal?.(event),
    makeRoom() {
      if (moving.length > 0) return;
      moving = takeHalf();
      moved = keep(moving, "queue is full");
    },
    keep(events) {
      mayReplay = true;
      return store.keep(events);
    },
    noteSettled(events, isKept) {
      if (!isKept) void store.forget(events);
      if (events === moving) moving = [];
      if (!replay || settled() < replayEnd) return;
      void replay.release();
      replay = null;
    },
    noteReachable(mayHaveEvents) {
      if (mayHaveEvents) mayReplay = true;
      void replayNext();
    },
    async close(keepRest) {
      await moved;
      await keepRest();
      await store.close();
    },
  };
}
