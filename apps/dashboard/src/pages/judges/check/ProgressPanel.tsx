import { count } from "../../../format/numbers.ts";
import { Meter } from "../../../ui/Meter.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { type DrawnLabels, labelsMissing } from "../judge-words.ts";

interface ProgressPanelProps {
  readonly drawn: DrawnLabels;
  /** Of each variant. */
  readonly needed: number;
}

/** How many labels each variant has of those that correct the judge. */
export function ProgressPanel({ drawn, needed }: ProgressPanelProps) {
  return (
    <Panel title="Labels that correct the judge">
      <p>{labelsMissing(drawn, needed)}</p>
      <div className="form">
        {Object.entries(drawn).map(([arm, labels]) => (
          <Meter
            key={arm}
            label={arm}
            value={labels}
            max={needed}
            tone={labels >= needed ? "good" : "info"}
            text={`${count(labels)} of ${count(needed)}${labels >= needed ? " ✓" : ""}`}
          />
        ))}
      </div>
      <p className="muted check-heading">
        Only answers from the queue count here: they are shown at random. A label of a call that somebody
        chose shows agreement below and corrects nothing.
      </p>
    </Panel>
  );
}
