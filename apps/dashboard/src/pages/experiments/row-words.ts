import type { ExperimentOverview } from "../../api/types.ts";
import type { IntervalScale } from "../../charts/IntervalBar.tsx";
import { dollars, interval, number, percent, signed, signedPercent } from "../../format/numbers.ts";
import { usersOf } from "../../format/states.ts";

type Primary = NonNullable<ExperimentOverview["primary"]>;

/** One variant's part of the users. */
export interface SplitPart {
  readonly variant: string;
  readonly users: number;
  /** 0 to 1. */
  readonly share: number;
}

/** Returns how the users are really split over the variants, in their order; empty while nobody was seen. */
export function observedSplit(item: Pick<ExperimentOverview, "users" | "variants">): readonly SplitPart[] {
  const total = usersOf(item);
  if (total === 0) return [];
  return item.variants.map((variant) => {
    const users = item.users[variant] ?? 0;
    return { variant, users, share: users / total };
  });
}

/** Writes a split shortly: "50.1 / 49.9 %". */
export function splitWords(parts: readonly SplitPart[]): string {
  return `${parts.map(({ share }) => number(share * 100, 3)).join(" / ")}\u00a0%`;
}

/** Writes how far an experiment is: "62 % · about 5 days". Null: not known yet. */
export function progressWords({
  progress,
  state,
}: Pick<ExperimentOverview, "progress" | "state">): string | null {
  if (state === "ready-to-decide") return "Enough to decide";
  if (progress === null) return null;
  const share = percent(progress.share, progress.share < 0.1 ? 1 : 2);
  const { days_to_go: days } = progress;
  const whole = Math.ceil(days ?? 0);
  if (progress.share >= 1 || whole < 1) return share;
  return `${share} · about ${number(whole, 2)}\u00a0${whole === 1 ? "day" : "days"}`;
}

/** How the effect on the primary metric is coloured: green and red only once it decides. */
export function primaryTone({ verdict, significant }: Primary): "good" | "bad" | "quiet" {
  if (!significant || verdict === "inconclusive") return "quiet";
  return verdict === "better" ? "good" : "bad";
}

const VERDICT_WORDS = { better: "▲ better", worse: "▼ worse", inconclusive: "not clear yet" } as const;

/** Writes the effect on the primary metric, relative to control where that exists. */
export function primaryWords(primary: Primary): { readonly effect: string; readonly verdict: string } {
  const { relative_effect: relative, relative_ci_low: low, relative_ci_high: high } = primary;
  const verdict =
    primaryTone(primary) === "quiet" ? VERDICT_WORDS.inconclusive : VERDICT_WORDS[primary.verdict];
  if (relative === null) {
    const range = interval(primary.ci_low, primary.ci_high, (value) => number(value));
    return { effect: withRange(signed(primary.effect, number), range), verdict };
  }
  const range = interval(low, high, (value) => signedPercent(value, 2));
  return { effect: withRange(signedPercent(relative, 2), range), verdict };
}

/** Writes the largest saving at no loss that matters: "b saves $4.10 per 1,000 users, not worse". Null: none. */
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

/** Returns the axis that the bars of all rows share, zero in the middle: wide enough for nine bounds of ten, so that one wild row does not flatten the rest. */
export function sharedScale(items: readonly Pick<ExperimentOverview, "primary">[]): IntervalScale {
  const bounds = items
    .flatMap(({ primary }) => [primary?.relative_ci_low, primary?.relative_ci_high])
    .flatMap((bound) => (bound == null ? [] : [Math.abs(bound)]))
    .sort((one, other) => one - other);
  const reach = bounds[Math.ceil(bounds.length * WITHIN) - 1] ?? NARROWEST;
  const max = Math.min(WIDEST, Math.max(NARROWEST, Math.ceil(reach * 20) / 20));
  return { min: -max, max };
}
