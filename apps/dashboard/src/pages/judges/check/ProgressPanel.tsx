import { count } from "../../../format/numbers.ts";
import { Meter } from "../../../ui/Meter.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { type DrawnLabels, labelsMissing } from "../judge-words.ts";

interface ProgressPanelProps {
  readonly drawn: DrawnLabels;
  /** Labels needed per variant. */
  readonly needed: number;
}

/** Each variant's labels that correct the judge. */
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
        Only labels from the queue count here, because its answers are drawn at random. Labels of calls that
        someone picked show up in the agreement below, but correct nothing.
      </p>
    </Panel>
  );
}
