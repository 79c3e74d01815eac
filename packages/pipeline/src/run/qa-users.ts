import {
  type EventStore,
  type Experiment,
  resultsOf,
  type StoredRun,
  variantsOfQaUsers,
} from "@assay/domain";

/** The QA users of a run. */
export interface SeenQaUsers {
  /**
   * Time of each QA user's first event, epoch milliseconds; only for users with an event before the cut-off.
   */
  readonly seen: ReadonlyMap<string, number>;
  /**
   * Returns whether a night read the same events before its cut-off as it would with the current QA
   * users.
   */
  readonly areSame: (night: StoredRun) => boolean;
}

interface Earlier {
  readonly nights: readonly StoredRun[];
  readonly versions: readonly Experiment[];
  /** The run's exclusive cut-off, epoch milliseconds. */
  readonly until: number;
}

/**
 * Loads the QA users. A night used the list of its version, so a user who was added or removed since matters from the
 * user's first event.
 */
export async function loadQaUsers(
  experiment: Experiment,
  { nights, versions, until }: Earlier,
  events: Pick<EventStore, "loadFirstSeen">,
): Promise<SeenQaUsers> {
  const now = idsOf(experiment);
  const lists = new Map(versions.map((one) => [one.version, idsOf(one)]));
  const listOf = (night: StoredRun) => lists.get(resultsOf(night).version)!;
  const userIds = [...new Set([...now, ...nights.flatMap((night) => [...listOf(night)])])];
  if (userIds.length === 0) return { seen: new Map(), areSame: () => true };
  const { orgId, id: experimentId } = experiment;
  const firstAt = await events.loadFirstSeen({ orgId, experimentId, userIds, until });
  return {
    seen: new Map([...firstAt].filter(([userId]) => now.has(userId))),
    areSame: (night) =>
      [...firstAt].every(
        ([userId, at]) => at >= night.windowTo || now.has(userId) === listOf(night).has(userId),
      ),
  };
}

const idsOf = ({ config }: Experiment): ReadonlySet<string> => new Set(variantsOfQaUsers(config).keys());
