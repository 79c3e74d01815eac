import type { ExperimentOverview } from "../../api/types.ts";
import type { IntervalScale } from "../../charts/IntervalBar.tsx";
import { nightBefore } from "../../format/decision-words.ts";
import { effectInWords, intervalInWords } from "../../format/effect.ts";
import { capitalized } from "../../format/metric-words.ts";
import { dollars, interval, percent, signedPercent } from "../../format/numbers.ts";
import { usersOf } from "../../format/states.ts";
import { day } from "../../format/times.ts";

type Primary = NonNullable<ExperimentOverview["primary"]>;

/** A variant's part of the users. */
export interface SplitPart {
  readonly variant: string;
  readonly users: number;
  /** 0 to 1. */
  readonly share: number;
}

/** Returns the observed split of users in the order of the variants; empty without users. */
export function observedSplit(item: Pick<ExperimentOverview, "users" | "variants">): readonly SplitPart[] {
  const total = usersOf(item);
  if (total === 0) return [];
  return item.variants.map((variant) => {
    const users = item.users[variant] ?? 0;
    return { variant, users, share: users / total };
  });
}

/** Formats how far the decision is: "62% · planned end 18 Jan 2026". Null: no run follows a plan yet. */
export function progressWords({ plan_status: plan }: Pick<ExperimentOverview, "plan_status">): string | null {
  if (plan === null) return null;
  const { decided_on, planned_end, information } = plan;
  if (decided_on !== null) return `Decided on ${day(decided_on)}`;
  const end = `planned end ${nightBefore(planned_end)}`;
  // Before the first look, nothing is measured.
  if (information === 0) return capitalized(end);
  return `${percent(information, information < 0.1 ? 1 : 2)} · ${end}`;
}

/** Returns the tone of the primary effect: green or red only once it is significant. */
export function primaryTone({ verdict, significant }: Primary): "good" | "bad" | "quiet" {
  if (!significant || verdict === "inconclusive") return "quiet";
  return verdict === "better" ? "good" : "bad";
}

const VERDICT_WORDS = { better: "▲ better", worse: "▼ worse", inconclusive: "not clear yet" } as const;

/** Formats the primary effect: relative to control where possible, else in the metric's unit. */
export function primaryWords(
  primary: Primary,
  metric: ExperimentOverview["primary_metric"],
): { readonly effect: string; readonly verdict: string } {
  const { relative_effect: relative, relative_ci_low: low, relative_ci_high: high } = primary;
  const verdict =
    primaryTone(primary) === "quiet" ? VERDICT_WORDS.inconclusive : VERDICT_WORDS[primary.verdict];
  if (relative === null) {
    const metrics = metric === null ? [] : [metric];
    return {
      effect: withRange(effectInWords(primary, metrics), intervalInWords(primary, metrics)),
      verdict,
    };
  }
  const range = interval(low, high, (value) => signedPercent(value, 2));
  return { effect: withRange(signedPercent(relative, 2), range), verdict };
}

/** Formats the largest saving among the trade-offs: "b saves $4.10 per 1,000 users, not worse". Null: none. */
export function tradeoffWords({ tradeoffs }: Pick<ExperimentOverview, "tradeoffs">): string | null {
  const [best] = tradeoffs.toSorted((a, b) => b.saving.usd_per_1000_users - a.saving.usd_per_1000_users);
  if (best === undefined) return null;
  const opinion = best.not_worse.some((row) => row.is_judge_opinion) ? " (judge opinion)" : "";
  return `${best.treatment} saves ${dollars(best.saving.usd_per_1000_users)} per 1,000\u00a0users, not worse${opinion}`;
}

function withRange(effect: string, range: string | null): string {
  return range === null ? effect : `${effect} (${range})`;
}

const NARROWEST = 0.05;
const WIDEST = 1;
const WITHIN = 0.9;

/** Returns an axis around zero that all rows share. It fits nine of ten bounds, so that an outlier does not flatten the rest. */
export function sharedScale(items: readonly Pick<ExperimentOverview, "primary">[]): IntervalScale {
  const bounds = items
    .flatMap(({ primary }) => [primary?.relative_ci_low, primary?.relative_ci_high])
    .flatMap((bound) => (bound == null ? [] : [Math.abs(bound)]))
    .sort((one, other) => one - other);
  const reach = bounds[Math.ceil(bounds.length * WITHIN) - 1] ?? NARROWEST;
  const max = Math.min(WIDEST, Math.max(NARROWEST, Math.ceil(reach * 20) / 20));
  return { min: -max, max };
}

/** Returns whether a row's bar would be informative. An interval open on both sides says only that everything is possible. */
export function hasInterval(row: Pick<Primary, "relative_ci_low" | "relative_ci_high">): boolean {
  return row.relative_ci_low !== null || row.relative_ci_high !== null;
}
