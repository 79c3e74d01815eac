import type { Wire } from "../../../api/types.ts";
import { basisWords, LOOKS_WORDS } from "../../../format/decision-words.ts";
import { counted, number, percent } from "../../../format/numbers.ts";
import { Facts } from "../../../ui/Facts.tsx";
import { Panel } from "../../../ui/Page.tsx";

/** When and how the experiment is decided. */
export function PlanSetup({ plan }: { readonly plan: Wire<"DecisionPlan"> }) {
  const { horizon_weeks, min_weeks = 1, looks = "group_sequential", alpha = 0.05, power = 0.8 } = plan;
  return (
    <Panel title="Decision plan">
      <Facts
        facts={[
          ["Horizon", horizon_weeks == null ? "planned at the start" : counted(horizon_weeks, "week")],
          ["Minimum run", counted(min_weeks, "week")],
          ["Looks", LOOKS_WORDS[looks].word],
          ["Alpha", number(alpha)],
          ["Power", percent(power)],
          ["Reports an unlikely target", (plan.futility ?? true) ? "yes" : "no"],
          ...(plan.reason ? [["Reason for the last change", plan.reason] as const] : []),
        ]}
      />
      <p className="muted setup-note">
        {LOOKS_WORDS[looks].meaning} {basisWords(plan)}
      </p>
    </Panel>
  );
}
