import type { Experiment, Results } from "../../api/types.ts";
import { pEquals } from "../../format/numbers.ts";
import { Panel } from "../../ui/Page.tsx";
import { SplitTable } from "../experiment/results/SplitTable.tsx";

/** Whether the split of users matches the allocation. */
export function ReportSplit({ experiment, run }: { readonly experiment: Experiment; readonly run: Results }) {
  const { status, p_value: p, threshold } = run.srm;
  return (
    <Panel title="Traffic split">
      <p>
        {status === "passed"
          ? "The observed split is consistent with the allocation"
          : "The observed split differs from the allocation, so no effect is shown"}{" "}
        ({pEquals(p)}; withheld below {threshold}).
      </p>
      <SplitTable experiment={experiment} srm={run.srm} />
    </Panel>
  );
}
