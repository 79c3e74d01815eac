import type { ExperimentConfigBody } from "@assay/contract";
import type { Day } from "@assay/domain";
import type { Static } from "typebox";
import type { DemoOutcome, DemoUser } from "./demo-traffic.ts";

/** A score with the reason that people read. */
export interface DemoScore {
  readonly score: number;
  readonly reason: string;
}

/** A bundled experiment with the traffic that it had. */
export interface Demo {
  /** What an org's id of the demo is derived from. */
  readonly idName: string;
  /** The experiment as `POST /v1/experiments` takes it. */
  readonly experiment: Static<typeof ExperimentConfigBody> & { readonly description: string };
  /** Lists the users in order of arrival. */
  users(firstDay: Day): readonly DemoUser[];
  /** Creates a user's outcomes under a variant. Throws for an unknown variant. */
  outcomes(user: DemoUser, variant: string | null): readonly DemoOutcome[];
  /** Scores the answer of a call as the demo's judge does; null for any other text. */
  judge(answer: string): DemoScore | null;
  /** Scores the answer of a call as the simulated readers do; null for any other text. */
  label(answer: string): number | null;
}
