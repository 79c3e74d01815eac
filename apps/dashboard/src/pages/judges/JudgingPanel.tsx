import { Link } from "@tanstack/react-router";
import type { Wire } from "../../api/types.ts";
import { count, counted, dollars, number, percent } from "../../format/numbers.ts";
import { Facts } from "../../ui/Facts.tsx";
import { Meter } from "../../ui/Meter.tsx";
import { Panel } from "../../ui/Page.tsx";
import { timeToGo } from "./judge-words.ts";

type Overview = Wire<"JudgesOverview">;

/** The use of judging: evaluations against the month's allowance, cost and backlog. */
export function JudgingPanel({ overview }: { readonly overview: Overview }) {
  const { model, evaluations, backlog, cost_usd_today: cost } = overview;
  return (
    <Panel title="Judging">
      <div className="judging-allowance">
        <Allowance evaluations={evaluations} />
      </div>
      <Facts
        facts={[
          ["Model", model ?? "not set"],
          ["Evaluations of metrics today (UTC)", count(evaluations.today)],
          [
            "Cost today (at your prices)",
            <span title={String(cost)} key="cost">
              {dollars(cost)}
            </span>,
          ],
          ["Backlog", backlogAtRate(backlog, evaluations.per_minute)],
        ]}
      />
    </Panel>
  );
}

function Allowance({ evaluations: { used, allowance } }: Pick<Overview, "evaluations">) {
  if (allowance === null || allowance === 0)
    return (
      <p>
        {allowance === null
          ? `${counted(used, "evaluation")} this month, unlimited.`
          : `${counted(used, "evaluation")} this month; your plan includes none.`}{" "}
        <Link to="/usage">Usage & plan</Link>
      </p>
    );
  return (
    <Meter
      label="Evaluations this month"
      value={used}
      max={allowance}
      text={`${count(used)} of ${count(allowance)} (${percent(used / allowance)})`}
      tone={used >= allowance ? "bad" : used >= 0.8 * allowance ? "warn" : "info"}
    />
  );
}

function backlogAtRate(backlog: number, perMinute: number): string {
  if (backlog === 0) return "empty";
  const rate = perMinute > 0 ? `, ${number(perMinute)} a minute` : "";
  const left = timeToGo(backlog, perMinute);
  return `${counted(backlog, "judgement")}${rate}${left === null ? "" : `: ${left}`}`;
}
