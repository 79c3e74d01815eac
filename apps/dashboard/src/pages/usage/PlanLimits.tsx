import type { Wire } from "../../api/types.ts";
import { count, counted } from "../../format/numbers.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Table } from "../../ui/Table.tsx";

interface Limit {
  readonly what: string;
  readonly value: string;
  readonly meaning: string;
}

/** The limits of the plan in force, as this installation has them. */
export function PlanLimits({ usage }: { readonly usage: Wire<"UsageSummary"> }) {
  return (
    <>
      <p>
        Plan in force: <Badge tone="info">{usage.limits.plan}</Badge>{" "}
        {usage.enforced ? null : (
          <span className="muted">
            This installation does not apply plan limits: raw events are kept for ever, nothing is refused,
            and analyses use what the engines are sized for.
          </span>
        )}
      </p>
      <Table
        caption="Limits of the plan"
        isCaptionHidden
        narrow="stacks"
        rowKey={({ what }) => what}
        rows={limitsOf(usage)}
        columns={[
          { key: "what", title: "Limit", cell: ({ what }) => what },
          { key: "value", title: "Your plan", cell: ({ value }) => value, isNumeric: true },
          { key: "meaning", title: "What it means", cell: ({ meaning }) => meaning },
        ]}
      />
    </>
  );
}

function limitsOf({ limits, judge_evaluations: judge, overage_billed: isBilled }: Wire<"UsageSummary">) {
  const rows: readonly Limit[] = [
    {
      what: "Events per month",
      value: bound(limits.monthly_event_allowance),
      meaning: "Distinct exposures, model calls and business events.",
    },
    {
      what: "Beyond that",
      value: limits.monthly_event_allowance === null ? "–" : isBilled ? "billed" : "refused",
      meaning: "What happens to events once the allowance is used up.",
    },
    {
      what: "Judge evaluations per month",
      value: bound(judge.allowance),
      meaning: "Answers that a judge scores for quality metrics.",
    },
    {
      what: "Raw events kept",
      value: counted(limits.retention_days, "day"),
      meaning: "Prompts and answers with them. Results and their windows are not shortened.",
    },
    {
      what: "Permutations per test",
      value: count(limits.max_permutations),
      meaning: "More of them resolve smaller p-values.",
    },
    {
      what: "Users sampled per variant",
      value: count(limits.max_sample_per_arm),
      meaning: "Users whose own values an analysis reads; sums and counts are always of everybody.",
    },
  ];
  return rows;
}

const bound = (value: number | null) => (value === null ? "no bound" : value === 0 ? "none" : count(value));
