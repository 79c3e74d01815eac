import type { Wire } from "../../api/types.ts";
import { count, counted } from "../../format/numbers.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Table } from "../../ui/Table.tsx";
import { beyondAllowance } from "./plan-words.ts";

interface Limit {
  readonly what: string;
  readonly value: string;
  readonly meaning: string;
}

/** The limits of the current plan on this installation. */
export function PlanLimits({ usage }: { readonly usage: Wire<"UsageSummary"> }) {
  return (
    <>
      <p>
        Current plan: <Badge tone="info">{usage.limits.plan}</Badge>{" "}
        {usage.enforced ? null : (
          <span className="muted">
            This installation does not apply plan limits: raw events are kept indefinitely, no events are
            refused, and analyses use the installation's own limits.
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

function limitsOf(usage: Wire<"UsageSummary">) {
  const { limits, judge_evaluations: judge } = usage;
  const rows: readonly Limit[] = [
    {
      what: "Events per month",
      value: bound(limits.monthly_event_allowance),
      meaning: "Exposures, model calls and business events, without duplicates.",
    },
    {
      what: "Events beyond that",
      value: beyondAllowance(usage),
      meaning: "What happens once the allowance is used up.",
    },
    {
      what: "Judge evaluations per month",
      value: bound(judge.allowance),
      meaning: "Answers scored by a judge for quality metrics.",
    },
    {
      what: "Raw events kept",
      value: counted(limits.retention_days, "day"),
      meaning: "Including prompts and answers. Results and their windows are not affected.",
    },
    {
      what: "Permutations per test",
      value: count(limits.max_permutations),
      meaning: "More permutations resolve smaller p-values.",
    },
    {
      what: "Users sampled per variant",
      value: count(limits.max_sample_per_arm),
      meaning:
        "Users per arm whose values are read one by one (for permutation tests). Totals always include everyone.",
    },
  ];
  return rows;
}

const bound = (value: number | null) => (value === null ? "unlimited" : value === 0 ? "none" : count(value));
