import type { MetricDefinition, MetricResult } from "../../../api/types.ts";
import { IntervalBar, type IntervalScale } from "../../../charts/IntervalBar.tsx";
import { lossInWords } from "../../../format/effect.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { interval, signed } from "../../../format/numbers.ts";
import type { ShownEffect } from "./shown-effect.ts";
import { VERDICTS } from "./VerdictWord.tsx";

interface EffectCellProps {
  readonly row: MetricResult;
  readonly metric: MetricDefinition | undefined;
  /** Or why there is no effect. */
  readonly shown: ShownEffect | string;
  readonly axis: IntervalScale;
}

/** A row's effect: the number, its interval in words, and both on the axis. */
export function EffectCell({ row, metric, shown, axis }: EffectCellProps) {
  if (typeof shown === "string") {
    return (
      <td className="metric-effect muted" data-label="Change">
        {shown}
      </td>
    );
  }
  const { effect, low, high, seqLow, seqHigh, tolerance, write } = shown;
  const bounds = interval(low, high, write);
  const loss = row.verdict === "better" ? null : lossInWords(row, metric);
  const facts = [bounds ?? "no CI", VERDICTS[row.verdict].word, ...(loss === null ? [] : [loss])];
  return (
    <td className="metric-effect" data-label="Change">
      <span className="metric-change">
        <strong title={String(effect)}>{write(effect)}</strong>{" "}
        <span className="muted">{bounds ?? "no CI"}</span>
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
          label={`${row.metric}, ${row.treatment}: ${write(effect)}, 95% CI ${facts.join(", ")}`}
        />
      )}
      {loss === null ? null : <span className="metric-note">{loss}</span>}
      <JudgeAlone row={row} metric={metric} />
    </td>
  );
}

/** The judge's result without the labels that correct it. */
function JudgeAlone({ row, metric }: Pick<EffectCellProps, "row" | "metric">) {
  const alone = row.judge?.uncalibrated;
  if (!alone) return null;
  const write = (value: number) => signed(value, unitOf(metric).difference);
  const bounds = interval(alone.ci_low, alone.ci_high, write) ?? "no CI";
  return (
    <span className="metric-note" title={String(alone.effect)}>
      judge alone: {write(alone.effect)} ({bounds})
    </span>
  );
}
