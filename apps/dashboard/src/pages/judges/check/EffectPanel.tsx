import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import type { Experiment, MetricResult } from "../../../api/types.ts";
import { metricOf } from "../../../format/effect.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { interval, signed } from "../../../format/numbers.ts";
import { runName } from "../../../format/times.ts";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Table } from "../../../ui/Table.tsx";
import { effectRows, effectSentence, retestSentence } from "./effect-rows.ts";

interface EffectPanelProps {
  readonly experiment: Experiment;
  readonly metric: string;
}

/** Each treatment's effect by the judge alone and corrected by labels. */
export function EffectPanel({ experiment, metric }: EffectPanelProps) {
  const results = useQuery(queries.results(experiment.id, null));
  return (
    <Panel
      title="Effect on results"
      actions={
        <Link to="/experiments/$id" params={{ id: experiment.id }}>
          All results
        </Link>
      }
    >
      <Loaded query={results} lines={3}>
        {(run) => {
          const rows = Object.values(run?.results ?? {}).filter((row) => row.metric === metric);
          if (run === null || rows.length === 0)
            return <p className="muted">No run has results for this metric yet.</p>;
          return (
            <>
              <p className="muted">{runName(run.computed_for)}.</p>
              {rows.map((row) => (
                <BeforeAndAfter key={row.treatment} row={row} experiment={experiment} />
              ))}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function BeforeAndAfter({
  row,
  experiment,
}: {
  readonly row: MetricResult;
  readonly experiment: Experiment;
}) {
  const { difference } = unitOf(metricOf(experiment.metrics, row));
  const write = (value: number) => signed(value, difference);
  return (
    <>
      <h3 className="check-heading">
        {row.treatment} vs {row.control}
      </h3>
      <p>{effectSentence(row, difference)}</p>
      <Table
        caption={`Effect of ${row.treatment} without and with labels`}
        isCaptionHidden
        narrow="stacks"
        rows={effectRows(row)}
        rowKey={({ name }) => name}
        columns={[
          { key: "name", title: "Source", cell: ({ name }) => name },
          { key: "effect", title: "Effect", isNumeric: true, cell: ({ effect }) => write(effect) },
          {
            key: "interval",
            title: "95% CI",
            isNumeric: true,
            cell: ({ ciLow, ciHigh }) => interval(ciLow, ciHigh, write) ?? "none",
          },
          { key: "test", title: "Test", cell: ({ test }) => test },
        ]}
      />
      {row.judge?.retest_sd == null ? null : (
        <p className="muted check-heading">{retestSentence(row.judge.retest_sd)}</p>
      )}
    </>
  );
}
