import type { MetricResult } from "../../../api/types.ts";
import { Badge } from "../../../ui/Badge.tsx";

/** The verdicts of a row in words. */
export const VERDICTS = {
  better: { word: "Better", icon: "▲", tone: "good" },
  worse: { word: "Worse", icon: "▼", tone: "bad" },
  inconclusive: { word: "Not clear yet", icon: "●", tone: "quiet" },
} as const;

/** A row's verdict, never by color alone. */
export function VerdictWord({ verdict }: Pick<MetricResult, "verdict">) {
  const { word, icon, tone } = VERDICTS[verdict];
  return (
    <Badge tone={tone}>
      <span aria-hidden="true">{icon}</span> {word}
    </Badge>
  );
}
