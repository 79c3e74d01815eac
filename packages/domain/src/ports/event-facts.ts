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
  /** Users exposed to several variants; `since` is the first exposure to a second variant. */
  readonly severalVariants: Finding;
  /** Outcomes that name a variant other than the user's first exposure does. */
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

/** Facts about the quality of an experiment's events. */
export interface EventFacts {
  /** The quality of the events, sorted by arm. */
  readonly health: readonly ArmHealth[];
  readonly attribution: AttributionFacts;
  /** How many of the calls samplers kept, by arm; empty if they kept all. */
  readonly sampling: readonly ArmSampling[];
  /** Agents' runs by arm and period; null if no metric reads them. */
  readonly agentRuns: readonly ArmAgentRuns[] | null;
}

/** Number of agents' runs of an arm's units, by outcome; without test users and units seen in several variants. */
export interface ArmAgentRuns extends Readonly<Record<AgentRunOutcome, number>> {
  readonly arm: string;
  readonly period: number;
}

/** How many calls of an arm's users samplers kept; without test users and users seen in several variants. */
export interface ArmSampling {
  readonly arm: string;
  /** Users with an exposure, and those whose first one is on a sampled span. Users whose spans were all dropped are missing. */
  readonly users: number;
  readonly sampledUsers: number;
  /** Received calls, and how many of them stand for dropped ones. */
  readonly calls: number;
  readonly sampledCalls: number;
  /** The sum of the calls' weights, and the smallest and largest weight (0 without calls). */
  readonly weight: number;
  readonly smallestWeight: number;
  readonly largestWeight: number;
}
