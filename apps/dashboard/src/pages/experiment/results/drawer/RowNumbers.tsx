import type { ReactNode } from "react";
import type { MetricDefinition, MetricResult } from "../../../../api/types.ts";
import { lossInWords } from "../../../../format/effect.ts";
import { isolated } from "../../../../format/isolated.ts";
import { unitOf } from "../../../../format/metric-units.ts";
import { count, interval, number, percent, pValue, signed } from "../../../../format/numbers.ts";
import { Facts } from "../../../../ui/Facts.tsx";

interface RowNumbersProps {
  readonly row: MetricResult;
  readonly metric: MetricDefinition | undefined;
}

/** All numbers of a comparison; the deciding ones come first. */
export function RowNumbers({ row, metric }: RowNumbersProps) {
  return (
    <>
      <h3>Numbers</h3>
      <Facts
        facts={[...deciding(row, metric), ...further(row, metric), ...carriedOver(row, metric), ...size(row)]}
      />
    </>
  );
}

type FactList = readonly (readonly [string, ReactNode])[];

function deciding(row: MetricResult, metric: MetricDefinition | undefined): FactList {
  const { difference } = unitOf(metric);
  const write = (value: number) => signed(value, difference);
  return [
    ["Effect (treatment − control)", exact(row.effect, write(row.effect))],
    ["95% CI", interval(row.ci_low, row.ci_high, write) ?? "none for this test"],
    ...lossFact(row, metric),
    ["Corrected p (significant below 0.05)", exact(row.p_value_fdr, pValue(row.p_value_fdr, row.p_floor))],
    [
      "Raw p",
      <span key="raw" className="muted" title={String(row.p_value)}>
        {pValue(row.p_value, row.p_floor)} (not used for the decision)
      </span>,
    ],
  ];
}

function lossFact(row: MetricResult, metric: MetricDefinition | undefined): FactList {
  const loss = lossInWords(row, metric);
  if (loss === null) return [];
  const isLasting = row.non_inferiority?.is_not_worse_seq ? ", at every look" : "";
  return [["Margin", `${loss}${isLasting}`]];
}

function further(row: MetricResult, metric: MetricDefinition | undefined): FactList {
  const { difference } = unitOf(metric);
  const write = (value: number) => signed(value, difference);
  const optional = (value: number | null, show: (value: number) => string) =>
    value === null ? "none" : exact(value, show(value));
  return [
    ["Always-valid interval", interval(row.ci_seq_low, row.ci_seq_high, write) ?? "none"],
    ["Always-valid p", optional(row.p_value_seq, (p) => pValue(p))],
    [
      "Selection-adjusted interval",
      interval(row.ci_selected_low, row.ci_selected_high, write) ?? "only for significant rows",
    ],
    ["Test", row.test],
    ["Statistic", optional(row.statistic, number)],
    ["Standard error", optional(row.standard_error, difference)],
    ["Detectable effect (80% power)", optional(row.mde, (mde) => `±${difference(mde)} or more`)],
    [
      "Detectable effect after correction",
      optional(row.mde_corrected, (mde) => `±${difference(mde)} or more`),
    ],
    ...(row.shift === null ? [] : ([["Hodges–Lehmann shift", exact(row.shift, write(row.shift))]] as const)),
    [
      "CUPED",
      row.cuped === null
        ? "not adjusted"
        : `θ = ${number(row.cuped.theta)}, ${percent(row.cuped.variance_reduction)} less variance, ${percent(row.cuped.coverage)} of users with earlier data`,
    ],
  ];
}

/** What users' earlier units left behind in later ones. */
function carriedOver({ carry_over }: MetricResult, metric: MetricDefinition | undefined): FactList {
  if (carry_over === undefined) return [];
  const { difference } = unitOf(metric);
  const write = (value: number) => signed(value, difference);
  const { effect, ci_low, ci_high, p_value, earlier_effect, earlier_p_value } = carry_over;
  return [
    ["Effect in users' first units", `${write(effect)} (${interval(ci_low, ci_high, write)})`],
    ["Difference from all units", `p ${pValue(p_value)}`],
    ["By the variant of the previous unit", `${write(earlier_effect)}, p ${pValue(earlier_p_value)}`],
  ];
}

function size(row: MetricResult): FactList {
  const perArm = (counts: Readonly<Record<string, number>>) =>
    [row.control, row.treatment].map((arm) => `${isolated(arm)} ${count(counts[arm] ?? 0)}`).join(" · ");
  return [
    ...(row.users_per_arm === undefined
      ? ([
          ["Users analyzed", perArm(row.n_per_arm)],
          ["Users with the metric", perArm(row.n_total_per_arm)],
        ] as const)
      : ([
          ["Units analyzed", perArm(row.n_per_arm)],
          ["Their users", perArm(row.users_per_arm)],
          ["Units with the metric", perArm(row.n_total_per_arm)],
        ] as const)),
    ["Evaluated events", perArm(row.events_per_arm)],
    ["Allocation periods", String(row.periods)],
    ["Window", `${number(row.window_days)}\u00a0${row.window_days === 1 ? "day" : "days"}`],
    ["Permutations", row.permutations_used === 0 ? "closed form" : count(row.permutations_used)],
    ["Metric version", String(row.metric_version)],
  ];
}

function exact(value: number, shown: string): ReactNode {
  return <span title={String(value)}>{shown}</span>;
}
