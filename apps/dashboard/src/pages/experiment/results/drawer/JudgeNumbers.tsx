import { Link } from "@tanstack/react-router";
import type { MetricDefinition, MetricResult } from "../../../../api/types.ts";
import { judgeMarkInWords, SCALE_WORDS } from "../../../../format/judge-words.ts";
import { unitOf } from "../../../../format/metric-units.ts";
import { count, interval, number, percent, signed } from "../../../../format/numbers.ts";
import { Badge } from "../../../../ui/Badge.tsx";
import { Facts } from "../../../../ui/Facts.tsx";
import { Table } from "../../../../ui/Table.tsx";

interface JudgeNumbersProps {
  readonly row: MetricResult;
  readonly metric: MetricDefinition | undefined;
  readonly experimentId: string;
}

/** The judge behind a row's scores, and what labels change. Shows nothing for other rows. */
export function JudgeNumbers({ row, metric, experimentId }: JudgeNumbersProps) {
  const mark = judgeMarkInWords([row]);
  if (row.judge === null || mark === null) return null;
  return (
    <>
      <h3>The judge</h3>
      <p>
        <Badge tone={mark.isCalibrated ? "good" : "warn"}>
          <span aria-hidden="true">{mark.isCalibrated ? "✓" : "◌"}</span> {mark.word}
        </Badge>{" "}
        {mark.meaning}{" "}
        <Link to="/judges/$experimentId/$metric/label" params={{ experimentId, metric: row.metric }}>
          Label answers
        </Link>
      </p>
      <BeforeAndAfter row={row} metric={metric} />
      <Facts facts={factsOf(row, row.judge, metric)} />
    </>
  );
}

/** The effect by the judge alone and corrected by labels. */
function BeforeAndAfter({ row, metric }: Omit<JudgeNumbersProps, "experimentId">) {
  const alone = row.judge?.uncalibrated;
  if (!alone) return null;
  const { value, difference } = unitOf(metric);
  const write = (effect: number) => signed(effect, difference);
  return (
    <Table
      caption="Effect of the labels"
      narrow="stacks"
      rows={[
        { name: "Judge alone", ...alone },
        { name: "Corrected by labels", ...row },
      ]}
      rowKey={({ name }) => name}
      columns={[
        { key: "name", title: "Effect", cell: ({ name }) => name },
        { key: "control", title: row.control, isNumeric: true, cell: (one) => value(one.control_value) },
        {
          key: "treatment",
          title: row.treatment,
          isNumeric: true,
          cell: (one) => value(one.treatment_value),
        },
        {
          key: "effect",
          title: "Difference",
          isNumeric: true,
          cell: (one) => (
            <span title={String(one.effect)}>
              {write(one.effect)} ({interval(one.ci_low, one.ci_high, write) ?? "no CI"})
            </span>
          ),
        },
      ]}
    />
  );
}

type Mark = NonNullable<MetricResult["judge"]>;

function factsOf(row: MetricResult, mark: Mark, metric: MetricDefinition | undefined) {
  const perArm = (values: Readonly<Record<string, number>>, write: (value: number) => string) =>
    [row.control, row.treatment].map((arm) => `${arm} ${write(values[arm] ?? 0)}`).join(" · ");
  const [low, high] = [percent(mark.probability_low), percent(mark.probability_high)];
  return [
    ["Judge", <code key="judge">{mark.version}</code>],
    ["Scale", SCALE_WORDS[mark.scale]],
    ["Judged answers", perArm(mark.judged_per_arm, count)],
    ["Labels", perArm(mark.labels_per_arm, count)],
    [
      "Weight of the judge's scores (λ)",
      mark.lambda === null ? "no labels used" : perArm(mark.lambda, number),
    ],
    ["Sampling probability", low === high ? low : `${low} to ${high}`],
    [
      "Test-retest standard deviation",
      mark.retest_sd === null ? "unknown" : unitOf(metric).difference(mark.retest_sd),
    ],
  ] as const;
}
