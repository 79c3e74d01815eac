import type { Results } from "../../api/types.ts";
import { Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import type { Recommendation } from "./recommendation.ts";

interface RecommendationPanelProps {
  readonly recommendation: Recommendation;
  readonly run: Results | null;
}

/** What the numbers speak for, and why. */
export function RecommendationPanel({
  recommendation: { sentence, reasons },
  run,
}: RecommendationPanelProps) {
  return (
    <Panel title="What the numbers speak for">
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
