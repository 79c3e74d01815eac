import "./scorecard.css";
import { type ReactNode, useState } from "react";
import type { Experiment, MetricResult } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { type Arms, armsOf } from "../../../charts/arms.ts";
import { metricOf, metricTitle } from "../../../format/effect.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { count } from "../../../format/numbers.ts";
import { SelectField, TextField } from "../../../ui/Field.tsx";
import { JudgeMark } from "./JudgeMark.tsx";
import { ScoreCell } from "./ScoreCell.tsx";
import { ScoreLegend } from "./ScoreLegend.tsx";
import {
  GROUPS,
  isShown,
  type ScoreFilter,
  type ScoreRow,
  STATE_FILTERS,
  type StateFilter,
  scoreRows,
} from "./scorecard-rows.ts";
import { axisOf, type EffectMode, shownEffect } from "./shown-effect.ts";

interface ScorecardProps {
  readonly experiment: Experiment;
  readonly rows: readonly MetricResult[];
  readonly mode: EffectMode;
  /** The metric's name: a link to its details, or plain text. */
  readonly nameOf: (row: MetricResult, title: string) => ReactNode;
  /** Below the table. */
  readonly tools?: ReactNode;
}

/** With fewer metrics there is nothing to look for. */
const FILTERED_FROM = 8;
const NO_FILTER: ScoreFilter = { text: "", state: "" };

/** All comparisons of a run: metrics in rows, treatments in columns, each metric with its own axis. */
export function Scorecard({ experiment, rows, mode, nameOf, tools }: ScorecardProps) {
  const [filter, setFilter] = useState(NO_FILTER);
  const arms = armsOf(experiment);
  const treatments = arms.treatments.filter((name) => rows.some(({ treatment }) => treatment === name));
  const all = scoreRows(rows);
  const shown = all.filter((row) => isShown(row, metricTitle(experiment.metrics, row.metric), filter));
  return (
    <>
      {all.length < FILTERED_FROM ? null : <Filter filter={filter} onFilter={setFilter} />}
      <section className={layoutOf(treatments.length, mode)} aria-label="Table of comparisons" tabIndex={0}>
        <table>
          <caption className="visually-hidden">All treatments vs control, by metric</caption>
          <Head arms={arms} treatments={treatments} />
          {GROUPS.map(({ role, title }) => (
            <Group
              key={role}
              title={title}
              rows={shown.filter((row) => row.role === role)}
              columns={treatments.length + 2}
            >
              {(row) => (
                <Row
                  key={row.metric}
                  row={row}
                  experiment={experiment}
                  treatments={treatments}
                  mode={mode}
                  name={nameOf(row.first, metricTitle(experiment.metrics, row.metric))}
                />
              )}
            </Group>
          ))}
        </table>
      </section>
      {shown.length === 0 ? <p className="muted">No metric matches the filter.</p> : null}
      <div className="score-foot">
        <ScoreLegend rows={rows} mode={mode} unit={experiment.unit} />
        {tools}
      </div>
    </>
  );
}

/** Amounts are longer than percentages: with two treatments, there is no room for a bar next to them. */
function layoutOf(treatments: number, mode: EffectMode): string {
  if (treatments > 2) return "scorecard is-stacked is-many";
  return treatments === 2 && mode !== "relative" ? "scorecard is-stacked" : "scorecard";
}

function Filter({
  filter,
  onFilter,
}: {
  readonly filter: ScoreFilter;
  readonly onFilter: (next: ScoreFilter) => void;
}) {
  return (
    <search className="row score-filter" aria-label="Filter the metrics">
      <TextField
        label={<span className="visually-hidden">Metric</span>}
        placeholder="Metric"
        value={filter.text}
        onChange={(text) => onFilter({ ...filter, text })}
      />
      <SelectField<StateFilter>
        label={<span className="visually-hidden">Result</span>}
        options={STATE_FILTERS}
        value={filter.state}
        onChange={(state) => onFilter({ ...filter, state })}
      />
    </search>
  );
}

function Head({ arms, treatments }: { readonly arms: Arms; readonly treatments: readonly string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">Metric</th>
        <th scope="col">
          <ArmLabel name={arms.control} color={arms.colors.get(arms.control)} />
        </th>
        {treatments.map((treatment) => (
          <th key={treatment} scope="col">
            <ArmLabel name={treatment} color={arms.colors.get(treatment)} />
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface GroupProps {
  readonly title: string;
  readonly rows: readonly ScoreRow[];
  readonly columns: number;
  readonly children: (row: ScoreRow) => ReactNode;
}

/** The metrics of a role, under a heading that folds them. */
function Group({ title, rows, columns, children }: GroupProps) {
  const [isFolded, setFolded] = useState(false);
  if (rows.length === 0) return null;
  return (
    <tbody>
      <tr className="score-group">
        <th colSpan={columns} scope="rowgroup">
          <button type="button" aria-expanded={!isFolded} onClick={() => setFolded(!isFolded)}>
            {title}
            {isFolded ? ` (${rows.length})` : ""}
          </button>
        </th>
      </tr>
      {isFolded ? null : rows.map(children)}
    </tbody>
  );
}

interface RowProps {
  readonly row: ScoreRow;
  readonly experiment: Experiment;
  readonly treatments: readonly string[];
  readonly mode: EffectMode;
  readonly name: ReactNode;
}

function Row({ row: { first, cells }, experiment, treatments, mode, name }: RowProps) {
  const metric = metricOf(experiment.metrics, first);
  const effects = new Map(
    [...cells].map(([treatment, row]) => [treatment, shownEffect(row, mode, experiment)]),
  );
  const axis = axisOf([...effects.values()].filter((shown) => typeof shown !== "string"));
  const users = count(first.n_per_arm[first.control] ?? 0);
  return (
    <tr>
      <th scope="row">
        <span className="score-name">{name}</span>
        <span className="score-wish">
          {metric?.display_name ? `${first.metric} · ` : ""}
          {first.desired === "decrease" ? "lower is better" : "higher is better"}
        </span>
        <JudgeMark rows={[...cells.values()]} experimentId={experiment.id} />
      </th>
      <td className="score-control" data-arm={first.control} title={`${first.control_value} (n ${users})`}>
        {unitOf(metric).value(first.control_value)}
      </td>
      {treatments.map((treatment) => {
        const row = cells.get(treatment);
        return row === undefined ? (
          <td key={treatment} className="score-cell muted" data-arm={treatment}>
            not enough data
          </td>
        ) : (
          <ScoreCell
            key={treatment}
            row={row}
            metric={metric}
            shown={effects.get(treatment) ?? ""}
            axis={axis}
          />
        );
      })}
    </tr>
  );
}
