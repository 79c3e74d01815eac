/** The parts of an experiment's content that can be flags of their own. */
export const FLAG_PARTS = ["prompt", "variables"] as const;
export type FlagPart = (typeof FLAG_PARTS)[number];

/** Splits a flag key that names a part of an experiment's content, such as `greeting.prompt`. Null for other keys. */
export function splitFlagKey(key: string): { readonly experiment: string; readonly part: FlagPart } | null {
  const part = FLAG_PARTS.find((each) => key.endsWith(`.${each}`));
  return part === undefined ? null : { experiment: key.slice(0, -part.length - 1), part };
}
