import type { ArmAgreement, HealthCheck, ScoredCall } from "@assay/domain";
import { type RatioMoments, ratioDelta, ratioMomentsOf, sumOf } from "@assay/stats";
import { agreement } from "../judge/agreement.ts";
import { weightOf } from "../judge/quality-rows.ts";
import { armShares, type HealthFacts } from "./facts.ts";
import { biasVerdict, drawnLabels, type JudgedFacts, signed } from "./judged-facts.ts";

/** Share of the scale: experiments look for effects of this size. */
const GAP_SHARE = 0.02;
/** Stricter than the usual 5%, because health is checked often; divided by the number of arms compared. */
const LEVEL = 0.01;

const ACTION =
  "The judge favors an arm, which distorts the metric's effect: label 50 calls per arm to correct it.";

/** Checks whether the judge is more lenient in one arm than in another. Equal leniency changes no effect. */
export function biasCheck(metric: JudgedFacts, facts: HealthFacts): HealthCheck {
  const { name, scale, range, control } = metric;
  const { arms: byArm } = agreement(drawnLabels(metric), scale);
  const list = Object.entries(byArm).map(([arm, { falsePasses }]) => ({ arm, ...falsePasses }));
  const arms = armShares(facts, list);
  const fixed = { measure: "gap", threshold: GAP_SHARE, since: null, arms } as const;
  const base = { code: "judge-bias", ...fixed } as const;
  const widest = widestGap(metric, Object.keys(byArm));
  if (widest === null) {
    const detail = `${name}: too few labels to see whether the judge favors an arm.`;
    return { ...base, severity: "no-data", detail, action: null, value: null };
  }
  const { arm, effect, ciLow, ciHigh, controlValue, treatmentValue, isAlarming } = widest;
  const interval = ciLow === null || ciHigh === null ? "" : ` (95% CI ${signed(ciLow)} to ${signed(ciHigh)})`;
  const gap = `compared with people, the judge scores ${control} ${signed(controlValue)} and ${arm} ${signed(treatmentValue)}, a gap of ${signed(effect)}${interval}`;
  const mistakes = `False passes: ${rates(byArm, "falsePasses")}; false fails: ${rates(byArm, "falseFails")}`;
  const texts = { detail: `${name}: ${gap}. ${mistakes}.`, action: ACTION };
  return { ...base, ...biasVerdict(isAlarming, metric, texts), value: Math.abs(effect) / range };
}

/** Returns the treatment gap that alarms, or else the widest one; null while none can be estimated. */
function widestGap(metric: JudgedFacts, arms: readonly string[]) {
  const treatments = arms.filter((arm) => arm !== metric.control);
  const gaps = treatments.flatMap((arm) => {
    const outcome = gapOf(metric, arm);
    if (outcome === null) return [];
    const isWide = Math.abs(outcome.effect) / metric.range >= GAP_SHARE;
    return [{ arm, ...outcome, isAlarming: isWide && outcome.pValue < LEVEL / treatments.length }];
  });
  const byRank = gaps.toSorted(
    (a, b) => Number(b.isAlarming) - Number(a.isAlarming) || Math.abs(b.effect) - Math.abs(a.effect),
  );
  return byRank[0] ?? null;
}

/** Compares judge minus label between an arm and control, user by user. */
function gapOf({ control, calls }: JudgedFacts, arm: string) {
  return ratioDelta([{ control: excess(calls, control), treatment: excess(calls, arm) }]);
}

function excess(calls: readonly ScoredCall[], arm: string): RatioMoments {
  const gaps = calls.flatMap((call) =>
    call.arm !== arm || call.label === null
      ? []
      : [{ userId: call.userId, weight: weightOf(call), gap: call.score - call.label }],
  );
  const users = [...Map.groupBy(gaps, ({ userId }) => userId).values()];
  return ratioMomentsOf({
    y: Float64Array.from(users, (own) => sumOf(own.map(({ weight, gap }) => weight * gap))),
    d: Float64Array.from(users, (own) => sumOf(own.map(({ weight }) => weight))),
  });
}

function rates(byArm: Readonly<Record<string, ArmAgreement>>, kind: "falsePasses" | "falseFails"): string {
  return Object.entries(byArm)
    .map(([arm, own]) => `${arm} ${own[kind].count} of ${own[kind].of}`)
    .join(", ");
}
