import { Link } from "@tanstack/react-router";
import type { Experiment, Wire } from "../../../api/types.ts";
import { armColumn } from "../../../charts/ArmLabel.tsx";
import { count, percent } from "../../../format/numbers.ts";
import { countedUnits, UNIT_TITLES } from "../../../format/unit-words.ts";
import { Exact } from "../../../ui/Exact.tsx";
import { Table } from "../../../ui/Table.tsx";
import { splitRows } from "./split-rows.ts";

interface ObservedSplitProps {
  readonly live: Wire<"LiveStats">;
  readonly experiment: Experiment;
  readonly colors: ReadonlyMap<string, string>;
}

/** The users of each variant, with observed and expected shares. */
export function ObservedSplit({ live, experiment, colors }: ObservedSplitProps) {
  const rows = splitRows(live, experiment.effective_allocation, [...colors.keys()]);
  const { unit = "user" } = experiment;
  const users = rows.reduce((sum, row) => sum + row.users, 0);
  return (
    <>
      <p>
        <strong>{countedUnits(users, unit, live.users_of_units)}</strong> so far.{" "}
        {experiment.version > 1
          ? "“Expected” is the split in force now; earlier versions may have used another split. "
          : null}
        The{" "}
        <Link to="/experiments/$id/health" params={{ id: experiment.id }}>
          Health
        </Link>{" "}
        tab checks whether the split is off.
      </p>
      <div className="split-bars" aria-hidden="true">
        <SplitBar shares={rows.map(({ arm, observed }) => [arm, observed])} colors={colors} />
        <SplitBar shares={rows.map(({ arm, expected }) => [arm, expected])} colors={colors} />
      </div>
      <Table
        caption={`${UNIT_TITLES[unit]} and exposures by variant, observed and expected`}
        isCaptionHidden
        narrow="stacks"
        rows={rows}
        rowKey={({ arm }) => arm}
        columns={[
          armColumn(({ arm }: { readonly arm: string }) => arm, colors),
          { key: "users", title: UNIT_TITLES[unit], isNumeric: true, cell: (row) => count(row.users) },
          {
            key: "observed",
            title: "Observed",
            isNumeric: true,
            cell: (row) => <Exact value={row.observed} write={percent} />,
          },
          {
            key: "expected",
            title: "Expected",
            isNumeric: true,
            cell: (row) => <Exact value={row.expected} write={percent} />,
          },
          { key: "exposures", title: "Exposures", isNumeric: true, cell: (row) => count(row.exposures) },
        ]}
      />
    </>
  );
}

interface SplitBarProps {
  readonly shares: readonly (readonly [arm: string, share: number | null])[];
  readonly colors: ReadonlyMap<string, string>;
}

function SplitBar({ shares, colors }: SplitBarProps) {
  return (
    <div className="split-bar">
      {shares.map(([arm, value]) => (
        <span key={arm} style={{ width: `${100 * (value ?? 0)}%`, background: colors.get(arm) }} />
      ))}
    </div>
  );
}
