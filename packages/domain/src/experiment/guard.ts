/**
 * What a guard watches in addition to the traffic split and the guardrail metrics. `errorRate`, `missingUsage` and `truncation` are
 * shares of calls; `latency` and `costPerCall` are means over calls; `costPerUser` is the cost of all calls per user of the arm.
 */
export const GUARD_SIGNALS = [
  "errorRate",
  "latency",
  "costPerCall",
  "costPerUser",
  "missingUsage",
  "truncation",
] as const;
export type GuardSignal = (typeof GUARD_SIGNALS)[number];

/**
 * The largest acceptable harm of each signal: a rise of the share (0.01 is one percentage point), or a rise relative to control (0.2 is
 * 20%) for `latency` and both costs. Null: not watched.
 */
export type Guard = Readonly<Record<GuardSignal, number | null>>;

export const DEFAULT_GUARD: Guard = {
  errorRate: 0.01,
  latency: 0.2,
  costPerCall: 0.2,
  costPerUser: 0.2,
  missingUsage: 0.05,
  truncation: 0.02,
};

/** Any part of a guard. An absent field keeps its value, or gets the default if there was no guard. */
export type GuardInput = { readonly [S in GuardSignal]?: number | null | undefined };

/** Applies a change to a guard; null ends it. */
export function mergeGuard(current: Guard | null, change: GuardInput | null | undefined): Guard | null {
  if (change === undefined || change === null) return change === null ? null : current;
  const before = current ?? DEFAULT_GUARD;
  const harms = GUARD_SIGNALS.map((signal) => [
    signal,
    change[signal] === undefined ? before[signal] : change[signal],
  ]);
  return Object.fromEntries(harms);
}

/** Returns whether the harm of a signal is relative to control. */
export function isRelative(signal: GuardSignal): boolean {
  return signal === "latency" || signal === "costPerCall" || signal === "costPerUser";
}
