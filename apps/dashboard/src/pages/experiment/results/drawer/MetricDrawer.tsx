import { Link } from "@tanstack/react-router";
import { Fragment, useMemo } from "react";
import type { Experiment, MetricDefinition, MetricResult, Results } from "../../../../api/types.ts";
import { armsOf } from "../../../../charts/arms.ts";
import { HistogramFigure } from "../../../../charts/HistogramFigure.tsx";
import { changeClause, metricOf, metricTitle, unclearClause } from "../../../../format/effect.ts";
import { unitOf } from "../../../../format/metric-units.ts";
import { Dialog } from "../../../../ui/Dialog.tsx";
import { VerdictWord } from "../VerdictWord.tsx";
import { CheckNumber } from "./CheckNumber.tsx";
import { EffectOverTime } from "./EffectOverTime.tsx";
import { ExtremeCalls, SORTED_FIELDS, type SortedField } from "./ExtremeCalls.tsx";
import { JudgeNumbers } from "./JudgeNumbers.tsx";
import { RowNumbers } from "./RowNumbers.tsx";
import "./drawer.css";

interface MetricDrawerProps {
  readonly experiment: Experiment;
  readonly run: Results;
  readonly row: MetricResult;
  readonly onClose: () => void;
}

/** The details of a comparison: effect by night, distribution, judge, numbers and example calls. */
export function MetricDrawer({ experiment, run, row, onClose }: MetricDrawerProps) {
  const { colors } = armsOf(experiment);
  const { control, treatment } = row;
  const [controlColor = "", treatmentColor = ""] = [colors.get(control), colors.get(treatment)];
  const compared = useMemo(
    () =>
      new Map([
        [control, controlColor],
        [treatment, treatmentColor],
      ]),
    [control, treatment, controlColor, treatmentColor],
  );
  const metric = metricOf(experiment.metrics, row);
  const { value, difference } = unitOf(metric);
  const field = sortedField(metric);
  return (
    <Dialog
      place="side"
      title={`${metricTitle(experiment.metrics, row.metric)}: ${row.treatment} vs ${row.control}`}
      isOpen
      onClose={onClose}
    >
      <Comparisons run={run} row={row} />
      <Fragment key={row.treatment}>
        <p>
          <VerdictWord verdict={row.verdict} />{" "}
          {row.verdict === "inconclusive"
            ? unclearClause(row, row.control, experiment.metrics)
            : changeClause(row, experiment.metrics)}
          .
        </p>
        {metric?.description ? <p className="muted">{metric.description}</p> : null}
        <EffectOverTime
          experimentId={experiment.id}
          comparison={`${row.metric}::${row.treatment}`}
          color={colors.get(row.treatment) ?? "var(--muted)"}
          difference={difference}
          unit={experiment.unit ?? "user"}
        />
        <HistogramFigure
          title="Distribution of values"
          distributions={row.distribution}
          colors={compared}
          write={value}
        />
        <JudgeNumbers row={row} metric={metric} experimentId={experiment.id} />
        <RowNumbers row={row} metric={metric} />
        <CheckNumber experimentId={experiment.id} run={run} row={row} />
        {field === null ? null : (
          <ExtremeCalls experimentId={experiment.id} field={field} colors={colors} write={value} />
        )}
      </Fragment>
    </Dialog>
  );
}

/** Links to the same metric's other comparisons, because the scorecard links only to the first. */
function Comparisons({ run, row }: Pick<MetricDrawerProps, "run" | "row">) {
  const rows = Object.values(run.results).filter(({ metric }) => metric === row.metric);
  if (rows.length < 2) return null;
  return (
    <nav className="drawer-comparisons" aria-label="Variants">
      {rows.map(({ metric, treatment }) => (
        <Link
          key={treatment}
          from="/experiments/$id/"
          search={(search) => ({ ...search, metric: `${metric}::${treatment}` })}
          resetScroll={false}
        >
          {treatment}
        </Link>
      ))}
    </nav>
  );
}

/** The sortable call field behind the metric; null: none. */
function sortedField(metric: MetricDefinition | undefined): SortedField | null {
  const source = metric?.source;
  if (source?.event !== "model_call") return null;
  return SORTED_FIELDS.find((field) => field === source.field) ?? null;
}
