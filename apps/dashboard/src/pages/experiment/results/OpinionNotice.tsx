import { LABELS_NEEDED } from "../../../format/judge-words.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";

interface OpinionNoticeProps {
  readonly experimentId: string;
  /** The metrics whose uncorrected scores the verdict relies on. */
  readonly metrics: readonly string[];
}

/** Warns of a verdict that relies on an unchecked judge, with links to label answers. */
export function OpinionNotice({ experimentId, metrics }: OpinionNoticeProps) {
  if (metrics.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title={`This relies on the judge's opinion of ${metrics.join(" and ")}`}
      actions={metrics.map((metric) => (
        <LinkButton key={metric} to="/judges/$experimentId/$metric/label" params={{ experimentId, metric }}>
          Label answers of {metric}
        </LinkButton>
      ))}
    >
      <p>
        A judge can prefer one variant's style. {LABELS_NEEDED} labels by people per variant measure its
        errors and correct the effect from the next run on.
      </p>
    </Notice>
  );
}
