/** What of an experiment's content a flag may be. */
export const FLAG_PARTS = ["prompt", "variables"] as const;
export type FlagPart = (typeof FLAG_PARTS)[number];

/** Splits the key of a flag that is a part of an experiment's content, `greeting.prompt`; null for any other. */
export function splitFlagKey(key: string): { readonly experiment: string; readonly part: FlagPart } | null {
  const part = FLAG_PARTS.find((each) => key.endsWith(`.${each}`));
  return part === undefined ? null : { experiment: key.slice(0, -part.length - 1), part };
}
