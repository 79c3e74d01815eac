import { Link } from "@tanstack/react-router";
import { Focusable, Tooltip, TooltipTrigger } from "react-aria-components";
import type { MetricResult } from "../../../api/types.ts";
import { judgeMarkInWords } from "../../../format/judge-words.ts";

interface JudgeMarkProps {
  /** The rows of one metric; at least one. */
  readonly rows: readonly MetricResult[];
  readonly experimentId: string;
}

/** Shows whether labels correct the judged rows of a metric, with a tooltip and a link to the labeling queue. */
export function JudgeMark({ rows, experimentId }: JudgeMarkProps) {
  const [first] = rows;
  const mark = judgeMarkInWords(rows);
  if (mark === null || first === undefined) return null;
  return (
    <TooltipTrigger delay={300}>
      <Focusable>
        <Link
          to="/judges/$experimentId/$metric/label"
          params={{ experimentId, metric: first.metric }}
          className={mark.isCalibrated ? "judge-mark is-calibrated" : "judge-mark"}
        >
          <span aria-hidden="true">{mark.isCalibrated ? "✓" : "◌"}</span> {mark.word}
        </Link>
      </Focusable>
      <Tooltip className="judge-tip" placement="bottom start">
        {mark.meaning} Follow the link to label answers.
      </Tooltip>
    </TooltipTrigger>
  );
}
