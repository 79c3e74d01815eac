import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { queries } from "../../../api/queries.ts";
import type { Wire } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { PlotFigure } from "../../../charts/PlotFigure.tsx";
import { counted, number, pEquals, pValue } from "../../../format/numbers.ts";
import { day, shortDay } from "../../../format/times.ts";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Table } from "../../../ui/Table.tsx";
import { Time } from "../../../ui/Time.tsx";

type Night = Wire<"ResultsHistory">["runs"][number];

const ONCE = "var(--arm-0)";
const ALWAYS_VALID = "var(--arm-1)";
/** Smaller p-values are drawn here. Far below the threshold, the exact value does not matter. */
const FLOOR = 1e-5;

/** The p-value of the traffic split, by night. */
export function SplitOverTime({ experimentId }: { readonly experimentId: string }) {
  const history = useQuery(queries.resultsHistory(experimentId));
  return (
    <Panel title="Traffic split over time">
      <Loaded query={history}>
        {({ runs }) =>
          runs.length === 0 ? <NoNights experimentId={experimentId} /> : <SplitChart runs={runs} />
        }
      </Loaded>
    </Panel>
  );
}

function NoNights({ experimentId }: { readonly experimentId: string }) {
  const next = useQuery(queries.nightlyRuns(experimentId)).data?.next_run_at ?? null;
  return (
    <p className="muted">
      No nightly runs yet. Each one adds a point.{" "}
      {next === null ? (
        "None is scheduled for this experiment."
      ) : (
        <>
          The next run starts <Time at={next} isRelative /> (<Time at={next} />
          ).
        </>
      )}
    </p>
  );
}

function SplitChart({ runs }: { readonly runs: readonly Night[] }) {
  const threshold = runs.at(-1)?.srm.threshold ?? 0;
  const draw = useCallback(
    (plot: typeof import("@observablehq/plot"), width: number) => ({
      width,
      height: 240,
      marginLeft: 64,
      marginRight: 32,
      x: { type: "utc" as const, label: null, ticks: labeledDays(runs, width), tickFormat: shortDay },
      y: {
        type: "log" as const,
        domain: [FLOOR, 1],
        label: "p-value",
        grid: true,
        ticks: [FLOOR, 1e-4, 1e-3, 1e-2, 0.1, 1],
        tickFormat: (value: number) => number(value, 1),
      },
      marks: [
        plot.ruleY([threshold], { stroke: "var(--bad)", strokeDasharray: "5 4" }),
        plot.text([`withheld below ${number(threshold)}`], {
          y: threshold,
          frameAnchor: "right",
          textAnchor: "end",
          dy: -8,
          fill: "var(--bad)",
        }),
        plot.line(points(runs, "p_value_seq"), {
          x: "at",
          y: "p",
          stroke: ALWAYS_VALID,
          strokeDasharray: "3 3",
        }),
        plot.dot(points(runs, "p_value_seq"), { x: "at", y: "p", fill: ALWAYS_VALID, symbol: "square" }),
        plot.line(points(runs, "p_value"), { x: "at", y: "p", stroke: ONCE, strokeWidth: 2 }),
        plot.dot(points(runs, "p_value"), { x: "at", y: "p", fill: ONCE }),
      ],
    }),
    [runs, threshold],
  );
  return (
    <PlotFigure
      title="p-value of the traffic split, by night"
      summary={summaryOf(runs)}
      draw={draw}
      legend={
        <div className="legend">
          <ArmLabel name="p-value (decides)" color={ONCE} />
          <ArmLabel name="always-valid p-value" color={ALWAYS_VALID} />
        </div>
      }
      table={<SplitTable runs={runs} />}
    />
  );
}

const PX_PER_LABEL = 80;

/** The days with a label: as many as fit on the axis. */
function labeledDays(runs: readonly Night[], width: number): Date[] {
  const every = Math.ceil(runs.length / Math.max(1, Math.floor(width / PX_PER_LABEL)));
  return runs
    .filter((_, index) => index % every === 0)
    .map(({ computed_for }) => new Date(`${computed_for}T00:00:00Z`));
}

function points(runs: readonly Night[], which: "p_value" | "p_value_seq") {
  return runs.flatMap(({ computed_for, srm }) => {
    const p = srm[which];
    return p === null ? [] : [{ at: new Date(`${computed_for}T00:00:00Z`), p: Math.max(p, FLOOR) }];
  });
}

function summaryOf(runs: readonly Night[]): string {
  const withheld = runs.filter(({ srm }) => srm.status === "halted").length;
  const p = runs.at(-1)?.srm.p_value ?? 1;
  return `Over ${counted(runs.length, "night")}, results were withheld on ${number(withheld)}; on the last night, ${pEquals(p)}.`;
}

function SplitTable({ runs }: { readonly runs: readonly Night[] }) {
  return (
    <Table
      caption="p-values of the traffic split by night"
      isCaptionHidden
      rows={runs.toReversed()}
      rowKey={({ computed_for }) => computed_for}
      columns={[
        { key: "day", title: "Night of", cell: ({ computed_for }) => day(computed_for) },
        {
          key: "p",
          title: "p-value",
          isNumeric: true,
          cell: ({ srm }) => <span title={String(srm.p_value)}>{pValue(srm.p_value)}</span>,
        },
        {
          key: "seq",
          title: "Always-valid p-value",
          isNumeric: true,
          cell: ({ srm }) =>
            srm.p_value_seq === null ? (
              "not kept"
            ) : (
              <span title={String(srm.p_value_seq)}>{pValue(srm.p_value_seq)}</span>
            ),
        },
        {
          key: "status",
          title: "Results",
          cell: ({ srm }) => (srm.status === "halted" ? "withheld" : "shown"),
        },
      ]}
    />
  );
}
