import type { Results } from "../../api/types.ts";
import { Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import type { Recommendation } from "./recommendation.ts";

interface RecommendationPanelProps {
  readonly recommendation: Recommendation;
  readonly run: Results | null;
}

/** The recommendation, and why. */
export function RecommendationPanel({
  recommendation: { sentence, reasons },
  run,
}: RecommendationPanelProps) {
  return (
    <Panel title="Recommendation">
      <p className="decide-sentence">{sentence}</p>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {run === null ? null : (
        <p className="muted">
          From the run computed <Time at={run.computed_at} />.
        </p>
      )}
    </Panel>
  );
}
