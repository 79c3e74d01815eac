import type { AgentRunOutcome } from "../agent-run/agent-run.ts";
import type { AttributionFacts } from "./attribution-facts.ts";

/** Number of events or users with a fault, and when the first of them occurred (epoch milliseconds; null: never). */
export interface Finding {
  readonly count: number;
  readonly since: number | null;
}

/** The quality of an experiment's events, by arm: the variant of the user's first exposure; '' for users without one. */
export interface ArmHealth {
  readonly arm: string;
  /** Users with an exposure. */
  readonly users: number;
  readonly events: number;
  readonly calls: number;
  /** Calls without an error. Usage, price and truncation are judged on these. */
  readonly completedCalls: number;
  /** Completed calls without input or output tokens. */
  readonly missingUsage: Finding;
  /** Completed calls without a cost and without tokens of a priced model. */
  readonly unpriced: Finding;
  readonly errors: Finding;
  /** Completed calls that ended because the model ran out of tokens. */
  readonly truncated: Finding;
  /** Calls whose stream was cut, so some of their tokens are estimates. */
  readonly cutStreams: Finding;
  /** Completed calls that name a model, in arms with a configured or requested model. */
  readonly callsWithModel: number;
  /** Calls among them that another model answered. */
  readonly otherModel: Finding;
  /** Tokens of completed calls that report both counts. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  /** Events received more than 24 h after they occurred. */
  readonly late: Finding;
  /** Events with a time more than 5 minutes after they were received: the sender's clock is fast. */
  readonly future: Finding;
  /** Users exposed to more than one variant; `since` is the first exposure to a second variant. */
  readonly severalVariants: Finding;
  /** Outcomes that name another variant than the user's first exposure. */
  readonly variantConflicts: Finding;
  /** Exposures of test users (`svc-test-`). */
  readonly testEvents: Finding;
  /** Models that answered, with their completed calls and whether these could be priced; at most 50, most used first. */
  readonly models: readonly {
    readonly model: string;
    readonly calls: number;
    readonly unpricedCalls: number;
  }[];
}

/** What an experiment's events show about themselves. */
export interface EventFacts {
  /** The quality of the events, sorted by arm. */
  readonly health: readonly ArmHealth[];
  readonly attribution: AttributionFacts;
  /** What samplers kept of the calls, by arm; empty where they kept all. */
  readonly sampling: readonly ArmSampling[];
  /** The runs of agents, by arm and period; null where no metric reads them. */
  readonly agentRuns: readonly ArmAgentRuns[] | null;
}

/** How many runs of agents there are of an arm's units, by outcome; without units seen in several variants and test users. */
export interface ArmAgentRuns extends Readonly<Record<AgentRunOutcome, number>> {
  readonly arm: string;
  readonly period: number;
}

/** What samplers kept of the calls of an arm's users; without users seen in several variants and test users. */
export interface ArmSampling {
  readonly arm: string;
  /** Users with an exposure, and those whose first one is on a sampled span: of them, others may be missing altogether. */
  readonly users: number;
  readonly sampledUsers: number;
  /** Calls that came, and those among them that stand for others. */
  readonly calls: number;
  readonly sampledCalls: number;
  /** How many calls the calls count for, and the least and the most that one counts for (0 without calls). */
  readonly weight: number;
  readonly smallestWeight: number;
  readonly largestWeight: number;
}
