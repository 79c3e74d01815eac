import type { HoldbackRow, LiftChange } from "@assay/domain";
import { ALPHA, adjustFdr, normalQuantile, normalSf } from "@assay/stats";

type Lift = Pick<
  HoldbackRow,
  "metric" | "metricVersion" | "desired" | "relativeEffect" | "relativeCiLow" | "relativeCiHigh"
>;

/** `benefit`: the change, positive in the desired direction. */
type UntestedChange = Omit<LiftChange, "pValueFdr" | "verdict"> & { readonly benefit: number };

/** The normal quantile of a 95% interval. */
const Z = normalQuantile(1 - ALPHA / 2);

/**
 * Compares each metric's lift now with its lift then. Both are relative to control, because sums over a day and over a month are not
 * comparable. The interval combines the intervals of the two lifts (MOVER, Zou & Donner 2008) and assumes that they are independent. The
 * same users are in both, which correlates the lifts positively, so the interval is too wide rather than too narrow.
 */
export function compareLifts(
  now: readonly Lift[],
  then: readonly Lift[],
  { isFinal }: { readonly isFinal: boolean },
): readonly LiftChange[] {
  const changes = now.flatMap((row): readonly UntestedChange[] => {
    const before = then.find((one) => one.metric === row.metric && one.metricVersion === row.metricVersion);
    const [lift, liftThen] = [boundsOf(row), before && boundsOf(before)];
    if (!lift || !liftThen) return [];
    const change = lift.effect - liftThen.effect;
    const below = Math.hypot(lift.effect - lift.low, liftThen.high - liftThen.effect);
    const above = Math.hypot(lift.high - lift.effect, liftThen.effect - liftThen.low);
    // The side of the interval towards 0, so that the test and the interval agree.
    const z = change === 0 ? 0 : (Z * Math.abs(change)) / (change > 0 ? below : above);
    return [
      {
        ...{ metric: row.metric, liftThen: liftThen.effect, liftNow: lift.effect },
        ...{ change, ciLow: change - below, ciHigh: change + above, pValue: Math.min(1, 2 * normalSf(z)) },
        benefit: row.desired === "increase" ? change : -change,
      },
    ];
  });
  const corrected = adjustFdr(changes.map(({ pValue }) => pValue));
  return changes.map(({ benefit, ...one }, i) => {
    const pValueFdr = corrected[i]!;
    const verdict = pValueFdr >= ALPHA ? "no-difference" : benefit < 0 ? "smaller" : "larger";
    return { ...one, pValueFdr, verdict: isFinal ? verdict : null };
  });
}

/** A relative lift with its interval; null if one of them is missing. */
function boundsOf({ relativeEffect: effect, relativeCiLow: low, relativeCiHigh: high }: Lift) {
  return effect === null || low === null || high === null ? null : { effect, low, high };
}
