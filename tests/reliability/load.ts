/**
 * Each event is a function of its number, so the expected contents can be computed without keeping the
 * events.
 */
export interface LoadPlan {
  readonly batchSize: number;
  readonly experiments: readonly LoadedExperiment[];
}

export interface LoadedExperiment {
  readonly id: string;
  /** Whether events name the variant; otherwise the service derives it. */
  readonly saysVariant: boolean;
}

/** Each user has one event of each kind, in this order, within one batch. */
const EVENTS_PER_USER = 3;
const ID_PREFIX = "load-";

/** The id of the event with this number. */
export const eventIdOf = (number: number): string => `${ID_PREFIX}${number}`;

/** Makes the batch with this index. Batches alternate between the experiments. */
export function batchAt(index: number, { batchSize, experiments }: LoadPlan): readonly object[] {
  const { id, saysVariant } = experiments[index % experiments.length]!;
  const timestamp = new Date().toISOString();
  return Array.from({ length: batchSize }, (_, place) => {
    const number = index * batchSize + place;
    const user = Math.floor(number / EVENTS_PER_USER);
    const variant = user % 2 === 0 ? "control" : "treatment";
    return {
      event_id: eventIdOf(number),
      experiment_id: id,
      user_id: `user-${user}`,
      timestamp,
      ...(saysVariant ? { variant } : {}),
      ...bodyAt(number),
    };
  });
}

function bodyAt(number: number): object {
  switch (number % EVENTS_PER_USER) {
    case 0:
      return { type: "exposure" };
    case 1:
      return {
        type: "model_call",
        model: "small",
        latency_ms: 50 + ((number * 7919) % 400),
        input_tokens: 12,
      };
    default:
      return { type: "business_event", business_metric: "bought", value: 1 };
  }
}

/** Counts the users of one experiment after `batches` batches; each has one exposure. */
export function usersAfter(batches: number, place: number, { batchSize, experiments }: LoadPlan): number {
  const own = Math.ceil((batches - place) / experiments.length);
  return (own * batchSize) / EVENTS_PER_USER;
}
