import type { Experiment, Results } from "../../../api/types.ts";
import { armColumn } from "../../../charts/ArmLabel.tsx";
import { armsOf } from "../../../charts/arms.ts";
import { count, percent, signed, sum } from "../../../format/numbers.ts";
import { UNIT_TITLES } from "../../../format/unit-words.ts";
import { Table } from "../../../ui/Table.tsx";

interface SplitTableProps {
  readonly experiment: Experiment;
  readonly srm: Results["srm"];
}

/** Observed and expected users by variant. */
export function SplitTable({ experiment, srm: { observed, expected } }: SplitTableProps) {
  const { colors } = armsOf(experiment);
  const arms = [...new Set([...Object.keys(expected), ...Object.keys(observed)])];
  const total = sum(Object.values(observed));
  const users = (arm: string) => observed[arm] ?? 0;
  const share = (arm: string) => expected[arm] ?? 0;
  return (
    <Table
      caption={`Traffic split, by ${UNIT_TITLES[experiment.unit ?? "user"].toLowerCase()}`}
      rows={arms}
      rowKey={(arm) => arm}
      columns={[
        armColumn((arm: string) => arm, colors),
        {
          key: "expected",
          title: "Expected",
          isNumeric: true,
          cell: (arm) => `${count(share(arm) * total)} (${percent(share(arm))})`,
        },
        {
          key: "observed",
          title: "Observed",
          isNumeric: true,
          cell: (arm) => `${count(users(arm))} (${percent(total === 0 ? 0 : users(arm) / total)})`,
        },
        {
          key: "difference",
          title: "Difference",
          isNumeric: true,
          cell: (arm) => signed(users(arm) - share(arm) * total, count),
        },
      ]}
    />
  );
}
