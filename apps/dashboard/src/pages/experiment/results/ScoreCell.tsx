import type { MetricDefinition, MetricResult } from "../../../api/types.ts";
import { IntervalBar, type IntervalScale } from "../../../charts/IntervalBar.tsx";
import { lossInWords } from "../../../format/effect.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { count, counted, interval, pValue, signed } from "../../../format/numbers.ts";
import type { ShownEffect } from "./shown-effect.ts";
import { VERDICTS } from "./VerdictWord.tsx";

interface ScoreCellProps {
  readonly row: MetricResult;
  readonly metric: MetricDefinition | undefined;
  /** Or why there is no effect. */
  readonly shown: ShownEffect | string;
  readonly axis: IntervalScale;
}

/** A comparison in the scorecard: the change, its interval in numbers and as a bar, and the corrected p. */
export function ScoreCell({ row, metric, shown, axis }: ScoreCellProps) {
  const { value } = unitOf(metric);
  const users = row.users_per_arm && `, of ${counted(row.users_per_arm[row.treatment] ?? 0, "user")}`;
  const n = `n ${count(row.n_per_arm[row.treatment] ?? 0)}${users ?? ""}`;
  const title = `${row.treatment}: ${value(row.treatment_value)} (${n}). Raw p ${row.p_value}: not used for the decision`;
  const loss = row.verdict === "better" ? null : lossInWords(row, metric);
  return (
    <td className={`score-cell is-${VERDICTS[row.verdict].tone}`} data-arm={row.treatment} title={title}>
      {typeof shown === "string" ? (
        <div className="score-refusal">
          <span className="muted">{shown}</span>
          <CorrectedP row={row} />
        </div>
      ) : (
        <EffectBox row={row} shown={shown} axis={axis} loss={loss} />
      )}
      {loss === null ? null : <p className="score-note">{loss}</p>}
      <JudgeAlone row={row} metric={metric} />
      <FirstUnits row={row} metric={metric} />
    </td>
  );
}

interface EffectBoxProps extends Pick<ScoreCellProps, "row" | "axis"> {
  readonly shown: ShownEffect;
  readonly loss: string | null;
}

/** The change in numbers and as a bar. */
function EffectBox({ row, shown, axis, loss }: EffectBoxProps) {
  const { effect, low, high, seqLow, seqHigh, tolerance, write } = shown;
  const { word, tone } = VERDICTS[row.verdict];
  const bounds = interval(low, high, write);
  const facts = [bounds ?? "no CI", word, ...(loss === null ? [] : [loss])];
  return (
    <div className="score-box">
      <div className="score-numbers">
        <strong title={String(effect)}>{write(effect)}</strong>
        <span className="muted">{bounds ?? "no CI"}</span>
      </div>
      {bounds === null ? (
        <span />
      ) : (
        <IntervalBar
          scale={axis}
          effect={effect}
          low={low}
          high={high}
          {...(seqLow === undefined ? {} : { seqLow })}
          {...(seqHigh === undefined ? {} : { seqHigh })}
          tolerance={tolerance}
          tone={tone}
          label={`${row.metric}, ${row.treatment}: ${write(effect)}, 95% CI ${facts.join(", ")}`}
        />
      )}
      <CorrectedP row={row} />
    </div>
  );
}

/** The corrected p and the verdict, which do not depend on how the effect is shown. */
function CorrectedP({ row }: Pick<ScoreCellProps, "row">) {
  return (
    <div className="score-p">
      <span title="Corrected p">{pValue(row.p_value_fdr, row.p_floor)}</span>
      <VerdictSign verdict={row.verdict} />
    </div>
  );
}

/** The judge's result without the labels that correct it. */
function JudgeAlone({ row, metric }: Pick<ScoreCellProps, "row" | "metric">) {
  const alone = row.judge?.uncalibrated;
  if (!alone) return null;
  const write = (value: number) => signed(value, unitOf(metric).difference);
  const bounds = interval(alone.ci_low, alone.ci_high, write) ?? "no CI";
  return (
    <p className="score-note" title={String(alone.effect)}>
      judge alone: {write(alone.effect)} ({bounds})
    </p>
  );
}

/** The effect in users' first units, which nothing came before. */
function FirstUnits({ row, metric }: Pick<ScoreCellProps, "row" | "metric">) {
  const first = row.carry_over;
  if (!first) return null;
  const write = (value: number) => signed(value, unitOf(metric).difference);
  return (
    <p className="score-note" title={String(first.effect)}>
      first unit of each user: {write(first.effect)} ({interval(first.ci_low, first.ci_high, write)})
    </p>
  );
}

/** The verdict as a word, so that color is never the only sign. Nothing while the verdict is open. */
function VerdictSign({ verdict }: Pick<MetricResult, "verdict">) {
  const { word, icon, tone } = VERDICTS[verdict];
  if (verdict === "inconclusive") return <span className="visually-hidden">{word}</span>;
  return (
    <span className={`score-verdict is-${tone}`}>
      <span aria-hidden="true">{icon}</span> {word}
    </span>
  );
}
