import { LABELS_NEEDED } from "../../../format/judge-words.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";

interface OpinionNoticeProps {
  readonly experimentId: string;
  /** On whose uncorrected scores the verdict rests. */
  readonly metrics: readonly string[];
}

/** Warns of a verdict that nobody has checked, and leads to the answers to label. */
export function OpinionNotice({ experimentId, metrics }: OpinionNoticeProps) {
  if (metrics.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title={`This rests on the judge's opinion of ${metrics.join(" and ")}`}
      actions={metrics.map((metric) => (
        <LinkButton key={metric} to="/judges/$experimentId/$metric/label" params={{ experimentId, metric }}>
          Label answers of {metric}
        </LinkButton>
      ))}
    >
      <p>
        A judge can prefer one variant's style. {LABELS_NEEDED} labels of people per variant show how far it
        is right, and correct the effect from the next run on.
      </p>
    </Notice>
  );
}
