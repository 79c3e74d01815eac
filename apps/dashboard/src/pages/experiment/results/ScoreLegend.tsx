import type { ReactNode } from "react";
import type { MetricResult } from "../../../api/types.ts";
import { manyOf, type Unit } from "../../../format/unit-words.ts";
import type { EffectMode } from "./shown-effect.ts";

interface ScoreLegendProps {
  readonly rows: readonly MetricResult[];
  readonly mode: EffectMode;
  readonly unit: Unit | undefined;
}

/** What the bars mean, drawn: only what the table shows. */
export function ScoreLegend({ rows, mode, unit = "user" }: ScoreLegendProps) {
  const hasWings = rows.some((row) => row.ci_seq_low !== null || row.ci_seq_high !== null);
  const hasMargin = rows.some((row) => row.non_inferiority !== null && row.non_inferiority !== undefined);
  return (
    <ul className="score-legend" aria-label="What the bars mean">
      <Item words="clear after correction (95% CI)">
        <rect className="interval-range" x={4} y={5} width={28} height={10} rx={2} />
      </Item>
      <Item words="not clear yet" tone="quiet">
        <rect className="interval-range" x={4} y={5} width={28} height={10} rx={2} />
      </Item>
      {hasWings ? (
        <Item words="holds at any look" tone="quiet">
          <line className="interval-wings" x1={0} x2={36} y1={10} y2={10} />
        </Item>
      ) : null}
      {hasMargin ? (
        <Item words="acceptable loss">
          <rect className="interval-tolerance" x={4} y={0} width={28} height={20} />
        </Item>
      ) : null}
      <Item words="beyond the axis" tone="quiet">
        <path className="interval-cut" d="M32 10l-7 -7v14Z" />
      </Item>
      {mode === "per-10000" ? <li>Totals over 10,000 {manyOf(unit)}.</li> : null}
    </ul>
  );
}

function Item({
  words,
  tone = "good",
  children,
}: {
  readonly words: string;
  readonly tone?: "good" | "quiet";
  readonly children: ReactNode;
}) {
  return (
    <li>
      <svg className={`interval-${tone}`} width={36} height={20} viewBox="0 0 36 20" aria-hidden="true">
        {children}
      </svg>
      {words}
    </li>
  );
}
