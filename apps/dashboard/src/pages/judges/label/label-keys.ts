import type { Scale } from "../../../format/judge-words.ts";

/** The action of a key. */
export type LabelAction =
  | { readonly kind: "score"; readonly score: number | null }
  /** Chooses a score between 0 and 1; Enter saves it. */
  | { readonly kind: "choose"; readonly score: number }
  | { readonly kind: "step"; readonly by: number }
  | { readonly kind: "store" | "undo" | "note" | "help" };

/** The step of the arrow keys on the scale from 0 to 1. */
export const STEP = 0.05;

const EVERYWHERE: Readonly<Record<string, LabelAction>> = {
  s: { kind: "score", score: null },
  u: { kind: "undo" },
  n: { kind: "note" },
  "?": { kind: "help" },
};

const ANY_NUMBER: Readonly<Record<string, LabelAction>> = {
  Enter: { kind: "store" },
  ArrowLeft: { kind: "step", by: -STEP },
  ArrowRight: { kind: "step", by: STEP },
};

/** Returns the action of a key on a scale; null: none. */
export function actionOf(scale: Scale, key: string): LabelAction | null {
  return scoreKey(scale, key) ?? EVERYWHERE[key.toLowerCase()] ?? null;
}

function scoreKey(scale: Scale, key: string): LabelAction | null {
  const digit = /^\d$/.test(key) ? Number(key) : null;
  if (scale === "0-1")
    return digit === null ? (ANY_NUMBER[key] ?? null) : { kind: "choose", score: digit / 10 };
  if (digit === null) return null;
  const isScore = scale === "pass_fail" ? digit <= 1 : digit >= 1 && digit <= 5;
  return isScore ? { kind: "score", score: digit } : null;
}

/** Moves a score between 0 and 1; a missing one starts in the middle. */
export function stepped(score: number | null, by: number): number {
  return Math.round(100 * Math.min(1, Math.max(0, (score ?? 0.5) + by))) / 100;
}

const SCORE_KEYS: Readonly<Record<Scale, readonly (readonly [keys: string, what: string])[]>> = {
  pass_fail: [
    ["1", "Pass"],
    ["0", "Fail"],
  ],
  "1-5": [["1 to 5", "Score (5 is best)"]],
  "0-1": [
    ["0 to 9", "Score from 0.0 to 0.9"],
    ["← →", "Decrease or increase by 0.05, up to 1"],
    ["Enter", "Save the label"],
  ],
};

/** Lists the keys of a scale with their actions. */
export function keyList(scale: Scale): readonly (readonly [keys: string, what: string])[] {
  return [
    ...SCORE_KEYS[scale],
    ["S", "Cannot tell; skips the answer for good"],
    ["U", "Undo; shows the last answer again"],
    ["N", "Write a note; Escape returns"],
    ["?", "Show this list"],
  ];
}
