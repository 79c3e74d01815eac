import type { Wire } from "../../../api/types.ts";

/** A judged call, without its variant and score. */
export type QueuedCall = Wire<"LabelQueue">["items"][number];
export type LabelUnit = Wire<"LabelQueue">["unit"];

/** A person's label of a call. */
export interface MadeLabel {
  readonly call: QueuedCall;
  /** Null: cannot tell. */
  readonly score: number | null;
  readonly note: string;
}

/** One visit to the queue. */
export interface LabelSession {
  /** The first one is shown. */
  readonly waiting: readonly QueuedCall[];
  /** Newest last. */
  readonly made: readonly MadeLabel[];
  /** An undone label, shown again; null: none. */
  readonly undone: MadeLabel | null;
  /** The latest batch had no new calls. */
  readonly isDry: boolean;
}

export const EMPTY_SESSION: LabelSession = { waiting: [], made: [], undone: null, isDry: false };

/** Adds a batch, without calls that are already known or whose label is unsent. */
export function arrive(
  session: LabelSession,
  batch: readonly QueuedCall[],
  unsent: ReadonlySet<string>,
): LabelSession {
  const known = new Set([
    ...unsent,
    ...session.waiting.map(({ event_id }) => event_id),
    ...session.made.map(({ call }) => call.event_id),
  ]);
  const fresh = batch.filter(({ event_id }) => !known.has(event_id));
  return { ...session, waiting: [...session.waiting, ...fresh], isDry: fresh.length === 0 };
}

/** Labels the shown call and moves to the next one. A label of another call changes nothing. */
export function label(session: LabelSession, said: MadeLabel): LabelSession {
  const [shown, ...waiting] = session.waiting;
  if (shown?.event_id !== said.call.event_id) return session;
  return { ...session, waiting, made: [...session.made, said], undone: null };
}

/** Shows the last labeled call again. */
export function undo(session: LabelSession): LabelSession {
  const undone = session.made.at(-1);
  if (undone === undefined) return session;
  return {
    ...session,
    waiting: [undone.call, ...session.waiting],
    made: session.made.slice(0, -1),
    undone,
  };
}
