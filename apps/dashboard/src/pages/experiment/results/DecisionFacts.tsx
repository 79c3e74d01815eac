import type { Experiment } from "../../../api/types.ts";

const OUTCOMES = {
  won: "A variant won",
  lost: "The change did not help",
  inconclusive: "No clear difference",
  invalid: "The data cannot be trusted",
} as const;

/** A decision in words: outcome, variant to ship, and note. */
export function DecisionFacts({ decision }: { readonly decision: Experiment["decision"] }) {
  if (!decision) return null;
  return (
    <>
      <p>
        <strong>{OUTCOMES[decision.outcome]}</strong>
        {decision.variant ? `. Variant to ship: ${decision.variant}.` : "."}
      </p>
      {decision.note ? <p className="decision-note">{decision.note}</p> : null}
    </>
  );
}
