import type { MetricResult } from "../../../api/types.ts";
import { IntervalBar, type IntervalScale } from "../../../charts/IntervalBar.tsx";
import { interval } from "../../../format/numbers.ts";
import type { ShownEffect } from "./shown-effect.ts";
import { VERDICTS } from "./VerdictWord.tsx";

interface EffectCellProps {
  readonly row: MetricResult;
  /** Or why there is none. */
  readonly shown: ShownEffect | string;
  readonly axis: IntervalScale;
}

/** A row's effect: the number, its interval in words, and both on the axis. */
export function EffectCell({ row, shown, axis }: EffectCellProps) {
  if (typeof shown === "string") {
    return (
      <td className="metric-effect muted" data-label="Change">
        {shown}
      </td>
    );
  }
  const { effect, low, high, seqLow, seqHigh, tolerance, write } = shown;
  const bounds = interval(low, high, write);
  return (
    <td className="metric-effect" data-label="Change">
      <span className="metric-change">
        <strong title={String(effect)}>{write(effect)}</strong>{" "}
        <span className="muted">{bounds ?? "no interval"}</span>
      </span>
      {bounds === null ? null : (
        <IntervalBar
          scale={axis}
          effect={effect}
          low={low}
          high={high}
          {...(seqLow === undefined ? {} : { seqLow })}
          {...(seqHigh === undefined ? {} : { seqHigh })}
          tolerance={tolerance}
          tone={VERDICTS[row.verdict].tone}
          label={`${row.metric}, ${row.treatment}: ${write(effect)}, 95 % interval ${bounds}, ${VERDICTS[row.verdict].word}`}
        />
      )}
    </td>
  );
}
