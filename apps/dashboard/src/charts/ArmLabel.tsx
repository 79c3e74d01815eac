import type { Column } from "../ui/Table.tsx";
import "./charts.css";

/** A variant's name with its color before it. */
export function ArmLabel({ name, color }: { readonly name: string; readonly color: string | undefined }) {
  return (
    <span className="arm">
      <span className="arm-dot" style={{ background: color ?? "var(--muted)" }} aria-hidden="true" />
      {name}
    </span>
  );
}

/** Returns the column that names the variant of a row. */
export function armColumn<Row>(
  armOf: (row: Row) => string,
  colors: ReadonlyMap<string, string>,
): Column<Row> {
  return {
    key: "arm",
    title: "Variant",
    cell: (row) => <ArmLabel name={armOf(row)} color={colors.get(armOf(row))} />,
  };
}
