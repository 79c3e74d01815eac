import type { Experiment } from "../../api/types.ts";
import { ArmLabel } from "../../charts/ArmLabel.tsx";
import { armsOf } from "../../charts/arms.ts";
import { percent } from "../../format/numbers.ts";
import { Table } from "../../ui/Table.tsx";
import { sharesByVariant } from "./shares-by-variant.ts";

/** Each variant's share by weight and the share in force. */
export function AllocationTable({ experiment }: { readonly experiment: Experiment }) {
  const { allocation, effective_allocation: inForce, variants, coverage } = experiment;
  const keys = (variants ?? []).map(({ key }) => key);
  const { colors } = armsOf(experiment);
  const asked = sharesByVariant(allocation);
  return (
    <Table
      caption="Shares of all users"
      columns={[
        {
          key: "variant",
          title: "Variant",
          cell: (key: string) => <ArmLabel name={key} color={colors.get(key)} />,
        },
        {
          key: "asked",
          title: "By weight",
          isNumeric: true,
          cell: (key: string) => percent((asked.get(key) ?? 0) * (coverage ?? 1)),
        },
        {
          key: "real",
          title: "In force",
          isNumeric: true,
          cell: (key: string) => percent(inForce[key] ?? 0),
        },
      ]}
      rows={keys}
      rowKey={(key) => key}
    />
  );
}
