import {
  createGuardTally,
  type EventStore,
  type GuardSelection,
  type GuardSums,
  type GuardTally,
  type StoredEvent,
} from "@assay/domain";

/** A batch is stored within this time of its receipt, unless something is broken. The night then counts what the guard missed. */
const SETTLED_MS = 5 * 60_000;
/** How much of the log each look reads at most, except the first. */
const OPEN_MS = 10 * 60_000;

/** What is known of an experiment's sums. */
interface Known {
  /** As JSON: a change of it begins anew. */
  readonly selection: string;
  /** What the log says of the events received before `until`. */
  closed: GuardSums;
  /** Epoch milliseconds; null until the log was read. */
  until: number | null;
  /** Counts the events received from `tallyFrom` on, when they are stored. */
  readonly tally: GuardTally;
  /** Infinite where other processes store events too. The log is then read up to now. */
  readonly tallyFrom: number;
}

/** The sums of the guarded experiments, in memory. */
export interface KnownGuardSums {
  /** Returns the sums of what was received until now. */
  load(selection: GuardSelection, now: number): Promise<GuardSums>;
  /** Appends events, and adds the ones that were not stored before to the sums. */
  append(events: readonly StoredEvent[]): Promise<void>;
  /** Forgets the experiments that are not among these. */
  keepOnly(experimentIds: ReadonlySet<string>): void;
}

/**
 * Keeps the sums of the guarded experiments, so that a look need not read the log. A process that becomes the leader reads each experiment's
 * log once. If it is the only process that stores events, it adds new events to the sums while storing them, and after five minutes looks
 * read nothing. Otherwise, each look reads what was received in the last minutes.
 */
export function createGuardSums(
  events: Pick<EventStore, "loadGuardSums" | "append">,
  { isAlone }: { readonly isAlone: boolean },
): KnownGuardSums {
  const byExperiment = new Map<string, Known>();

  function begin(selection: GuardSelection, text: string, now: number): Known {
    const known = {
      ...{ selection: text, closed: new Map(), until: null, tally: createGuardTally(selection) },
      // Events received from the next millisecond on are stored after this.
      tallyFrom: isAlone ? now + 1 : Number.POSITIVE_INFINITY,
    };
    byExperiment.set(selection.experimentId, known);
    return known;
  }

  function add(event: StoredEvent): void {
    const known = byExperiment.get(event.experimentId);
    if (known !== undefined && event.receivedAt >= known.tallyFrom) known.tally.add(event);
  }

  return {
    async load(selection, now) {
      const text = JSON.stringify(selection);
      const last = byExperiment.get(selection.experimentId);
      const known = last?.selection === text ? last : begin(selection, text, now);
      const logEnd = Math.min(known.tallyFrom, now + 1);
      const read = (receivedFrom: number | null, receivedUntil: number) =>
        events.loadGuardSums({ ...selection, receivedFrom, receivedUntil });
      if (known.until === null || (known.until < logEnd && now - known.until > OPEN_MS)) {
        const until = Math.min(now - SETTLED_MS, logEnd);
        known.closed = added(known.closed, await read(known.until, until));
        known.until = until;
      }
      const open = known.until < logEnd ? await read(known.until, logEnd) : null;
      const ofLog = open === null ? known.closed : added(known.closed, open);
      return added(ofLog, known.tally.sums);
    },
    async append(batch) {
      try {
        for (const event of await events.append(batch)) add(event);
      } catch (error) {
        // Whether they are stored is unknown, so the next look reads the log again.
        for (const { experimentId } of batch) byExperiment.delete(experimentId);
        throw error;
      }
    },
    keepOnly(experimentIds) {
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
