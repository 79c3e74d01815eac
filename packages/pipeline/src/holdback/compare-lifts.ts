import type { HoldbackRow, LiftChange } from "@assay/domain";
import { ALPHA, adjustFdr, normalQuantile, normalSf } from "@assay/stats";

type Lift = Pick<
  HoldbackRow,
  "metric" | "metricVersion" | "desired" | "relativeEffect" | "relativeCiLow" | "relativeCiHigh"
>;

/** `benefit` is the change in the direction that is desired. */
type UntestedChange = Omit<LiftChange, "pValueFdr" | "verdict"> & { readonly benefit: number };

/** The normal quantile of a 95% interval. */
const Z = normalQuantile(1 - ALPHA / 2);

/**
 * Compares each metric's lift now with its lift then, both relative to control: the sum of a day and that of a month are not alike, but
 * their shares are. The interval is made of the two lifts' own (MOVER, Zou & Donner 2008). It takes them for independent. The same users
 * are in both, and who has much in one has much in the other, so the interval is rather too wide than too narrow.
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
    // The side towards no change, so that the test and the interval agree.
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

/** A relative lift with its interval; null without either. */
function boundsOf({ relativeEffect: effect, relativeCiLow: low, relativeCiHigh: high }: Lift) {
  return effect === null || low === null || high === null ? null : { effect, low, high };
}
