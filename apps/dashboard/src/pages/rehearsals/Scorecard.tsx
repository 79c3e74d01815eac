import { IntervalBar } from "../../charts/IntervalBar.tsx";
import { count, pValue } from "../../format/numbers.ts";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import type { Rehearsal, RehearsalRow } from "./queries.ts";
import { effectText, meanText, orderBiasText, rowTitle, toneOf } from "./rehearsal-words.ts";

/** What was measured, per treatment. */
export function Scorecard({ rehearsal }: { readonly rehearsal: Rehearsal }) {
  const { report, margin } = rehearsal;
  const bias = orderBiasText(rehearsal);
  return (
    <Panel title="Scorecard">
      {[...Map.groupBy(report.rows, ({ treatment }) => treatment)].map(([treatment, rows]) => (
        <Table
          key={treatment}
          caption={`${treatment} against ${rehearsal.arms[0]?.name}, over the same inputs`}
          narrow="stacks"
          rows={rows}
          rowKey={({ metric }) => metric}
          columns={[
            { key: "metric", title: "Metric", cell: rowTitle },
            {
              key: "control",
              title: "Control",
              isNumeric: true,
              cell: ({ metric, control_value }) => meanText(metric, control_value),
            },
            {
              key: "treatment",
              title: "Treatment",
              isNumeric: true,
              cell: ({ metric, treatment_value }) => meanText(metric, treatment_value),
            },
            { key: "effect", title: "Difference", cell: effectText },
            { key: "bar", title: "Interval", cell: (row) => <Bar row={row} margin={margin} /> },
            {
              key: "p",
              title: "p after FDR",
              isNumeric: true,
              cell: ({ adjusted_p_value: p }) => (p === null ? "none" : pValue(p)),
            },
            { key: "inputs", title: "Inputs", isNumeric: true, cell: ({ inputs }) => count(inputs) },
          ]}
        />
      ))}
      {bias === null ? null : <p className="muted">{bias}</p>}
    </Panel>
  );
}

function Bar({ row, margin }: { readonly row: RehearsalRow; readonly margin: number }) {
  const { metric, effect, ci_low, ci_high, always_valid_low, always_valid_high } = row;
  if (effect === null) return null;
  const isQuality = metric === "preference" || metric === "score";
  const bounds = [effect, ci_low, ci_high, always_valid_low, always_valid_high, isQuality ? margin : 0];
  const reach = Math.max(...bounds.map((bound) => Math.abs(bound ?? 0))) || 1;
  return (
    <IntervalBar
      scale={{ min: -reach, max: reach }}
      effect={effect}
      low={ci_low}
      high={ci_high}
      seqLow={always_valid_low}
      seqHigh={always_valid_high}
      tone={toneOf(row)}
      tolerance={isQuality ? -margin : null}
      label={`${rowTitle(row)}: ${effectText(row)}`}
    />
  );
}
