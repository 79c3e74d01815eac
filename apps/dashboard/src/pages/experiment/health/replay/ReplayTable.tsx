import type { MetricDefinition, Wire } from "../../../../api/types.ts";
import { IntervalBar } from "../../../../charts/IntervalBar.tsx";
import { unitOf } from "../../../../format/metric-units.ts";
import { count, percent } from "../../../../format/numbers.ts";
import { UNIT_TITLES, type Unit } from "../../../../format/unit-words.ts";
import { Badge } from "../../../../ui/Badge.tsx";
import { Table } from "../../../../ui/Table.tsx";
import { bandInWords, type MetricReplay, REPLAY_VERDICTS, spreadOf } from "./replay-words.ts";

interface ReplayTableProps {
  readonly replay: Wire<"ExperimentReplay">;
  readonly metrics: readonly MetricDefinition[];
  readonly unit: Unit;
}

/** The rates are drawn up to here: four times what is right. */
const SCALE = { min: 0, max: 0.2 };

/** Every metric of a replay: the rate with its band, the real sensitivity, and the verdict in words. */
export function ReplayTable({ replay, metrics, unit }: ReplayTableProps) {
  return (
    <Table
      caption="Metrics when nothing differs"
      isCaptionHidden
      narrow="stacks"
      rows={replay.metrics}
      rowKey={({ metric }) => metric}
      empty={<p className="muted">The experiment has no metrics.</p>}
      columns={[
        { key: "metric", title: "Metric", cell: ({ metric }) => metric },
        { key: "verdict", title: "Verdict", cell: (row) => <Verdict row={row} /> },
        { key: "rate", title: "False positives", cell: (row) => <Rate row={row} /> },
        {
          key: "effect",
          title: "Smallest effect",
          isNumeric: true,
          cell: (row) =>
            effectInWords(
              row,
              metrics.find(({ name }) => name === row.metric),
            ),
        },
        {
          key: "spread",
          title: "Spread / SE",
          isNumeric: true,
          cell: (row) => ratioOrDash(spreadOf(row)),
        },
        { key: "users", title: UNIT_TITLES[unit], isNumeric: true, cell: ({ users }) => count(users) },
      ]}
    />
  );
}

function Verdict({ row: { verdict, detail } }: { readonly row: MetricReplay }) {
  const { word, tone, icon } = REPLAY_VERDICTS[verdict];
  return (
    <div className="replay-verdict">
      <Badge tone={tone}>
        <span aria-hidden="true">{icon}</span> {word}
      </Badge>
      {verdict === "correct" ? null : <p>{detail}</p>}
    </div>
  );
}

function Rate({ row }: { readonly row: MetricReplay }) {
  const { metric, false_positive_rate: rate, band_low: low, band_high: high } = row;
  const band = bandInWords(row);
  if (rate === null || band === null) return "–";
  return (
    <div className="replay-rate">
      <strong>{percent(rate)}</strong> <span className="muted">expected: {band}</span>
      <IntervalBar
        scale={SCALE}
        effect={rate}
        low={low}
        high={high}
        tone="quiet"
        label={`${metric}: ${percent(rate)} false positives, expected are ${band}`}
      />
    </div>
  );
}

/** Writes the smallest effect in the metric's unit, and as a share of the value. */
function effectInWords(
  { smallest_effect: effect, value }: MetricReplay,
  metric: MetricDefinition | undefined,
): string {
  if (effect === null) return "–";
  const relative = value ? ` (${percent(effect / Math.abs(value))})` : "";
  return `${unitOf(metric).difference(effect)}${relative}`;
}

const ratioOrDash = (ratio: number | null): string => (ratio === null ? "–" : ratio.toFixed(2));
