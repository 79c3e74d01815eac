import type { Experiment, Results } from "../../api/types.ts";
import { pValue } from "../../format/numbers.ts";
import { Panel } from "../../ui/Page.tsx";
import { SplitTable } from "../experiment/results/SplitTable.tsx";

/** Whether users came as they were allocated. */
export function ReportSplit({ experiment, run }: { readonly experiment: Experiment; readonly run: Results }) {
  const { status, p_value: p, threshold } = run.srm;
  const text = pValue(p);
  return (
    <Panel title="Traffic split">
      <p>
        {status === "passed"
          ? "Users came as allocated, as far as chance can tell"
          : "Users did not come as allocated, so no effect is shown"}{" "}
        (p {text.startsWith("<") ? text : `= ${text}`}; withheld below {threshold}).
      </p>
      <SplitTable experiment={experiment} srm={run.srm} />
    </Panel>
  );
}
