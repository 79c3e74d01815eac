import type { Experiment } from "../../../api/types.ts";
import { handedOutWords } from "../../../format/handed-out.ts";

const OUTCOMES = {
  won: "A variant won",
  lost: "The change did not help",
  inconclusive: "No clear difference",
  invalid: "The data cannot be trusted",
} as const;

/** How an experiment ended, in words: the outcome, what users get, and the note. */
export function DecisionFacts({ experiment }: { readonly experiment: Experiment }) {
  const { decision } = experiment;
  return (
    <>
      <p>
        {decision ? <strong>{OUTCOMES[decision.outcome]}. </strong> : null}
        {handedOutWords(experiment)}
      </p>
      {decision?.note ? <p className="decision-note">{decision.note}</p> : null}
    </>
  );
}
