import { Link } from "@tanstack/react-router";
import { Focusable, Tooltip, TooltipTrigger } from "react-aria-components";
import type { MetricResult } from "../../../api/types.ts";
import { judgeMarkInWords } from "../../../format/judge-words.ts";

interface JudgeMarkProps {
  readonly row: MetricResult;
  readonly experimentId: string;
}

/** Shows whether labels correct a judged row, with a tooltip and a link to the labeling queue. */
export function JudgeMark({ row, experimentId }: JudgeMarkProps) {
  const mark = judgeMarkInWords(row);
  if (mark === null) return null;
  return (
    <TooltipTrigger delay={300}>
      <Focusable>
        <Link
          to="/judges/$experimentId/$metric/label"
          params={{ experimentId, metric: row.metric }}
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
