import type { Experiment } from "../../api/types.ts";
import { armColumn } from "../../charts/ArmLabel.tsx";
import { armsOf } from "../../charts/arms.ts";
import { variantShares } from "../../format/allocation.ts";
import { percent } from "../../format/numbers.ts";
import { Table } from "../../ui/Table.tsx";

/** Each variant's share by weight and the share in force. */
export function AllocationTable({ experiment }: { readonly experiment: Experiment }) {
  const { colors } = armsOf(experiment);
  return (
    <Table
      caption="Shares of all users"
      columns={[
        armColumn(({ variant }: { readonly variant: string }) => variant, colors),
        {
          key: "asked",
          title: "By weight",
          isNumeric: true,
          cell: ({ wanted }) => percent(wanted),
        },
        {
          key: "real",
          title: "In force",
          isNumeric: true,
          cell: ({ inForce }) => percent(inForce),
        },
      ]}
      rows={variantShares(experiment)}
      rowKey={({ variant }) => variant}
    />
  );
}
