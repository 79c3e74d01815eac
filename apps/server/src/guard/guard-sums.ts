import type { EventStore, GuardQuery, GuardSums } from "@assay/domain";

/** A batch is stored within this time of its receipt, unless something is broken: then the night counts what the guard missed. */
const SETTLED_MS = 5 * 60_000;
/** How much of the log is read at each look, at most, besides the first. */
const OPEN_MS = 10 * 60_000;

/** What is asked for, without the time of receipt. A change of it begins anew. */
export type GuardSelection = Omit<GuardQuery, "receivedFrom" | "receivedUntil">;

interface Closed {
  readonly selection: string;
  readonly sums: GuardSums;
  /** What was received before is in `sums`; epoch milliseconds. */
  readonly until: number;
}

/**
 * Keeps the sums of the guarded experiments in memory, so that a look reads only what was received in the last minutes. A process that
 * becomes the leader reads each experiment's log once.
 */
export function createGuardSums(events: Pick<EventStore, "loadGuardSums">) {
  const byExperiment = new Map<string, Closed>();

  async function read(selection: GuardSelection, receivedFrom: number | null, receivedUntil: number) {
    return events.loadGuardSums({ ...selection, receivedFrom, receivedUntil });
  }

  return {
    /** Returns the sums of what was received until now. */
    async load(selection: GuardSelection, now: number): Promise<GuardSums> {
      const text = JSON.stringify(selection);
      const known = byExperiment.get(selection.experimentId);
      let closed = known?.selection === text ? known : null;
      if (closed === null || now - closed.until > OPEN_MS) {
        const until = now - SETTLED_MS;
        const newer = await read(selection, closed?.until ?? null, until);
        closed = { selection: text, sums: closed === null ? newer : added(closed.sums, newer), until };
        byExperiment.set(selection.experimentId, closed);
      }
      return added(closed.sums, await read(selection, closed.until, now + 1));
    },
    /** Forgets the experiments that are not among these. */
    keepOnly(experimentIds: ReadonlySet<string>): void {
      for (const id of byExperiment.keys()) if (!experimentIds.has(id)) byExperiment.delete(id);
    },
  };
}

function added(a: GuardSums, b: GuardSums): GuardSums {
  const sums = new Map(a);
  for (const [arm, columns] of b) {
    const before = a.get(arm);
    sums.set(
      arm,
      before === undefined
        ? columns
        : columns.map((column, i) => column.map((value, group) => value + before[i]![group]!)),
    );
  }
  return sums;
}
