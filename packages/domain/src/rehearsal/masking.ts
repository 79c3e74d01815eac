import type { MaskingKind } from "./masking-rules.ts";
import { type FindPassages, findCards, findEmails, findIbans, findIps, findPhones } from "./personal-data.ts";

/** A rule that is ready to be applied. */
export interface Masking {
  /** Found passages become `[name]`. */
  readonly name: string;
  readonly find: FindPassages;
}

/** In the order of application. Telephone numbers come last, because one may be part of any other kind. */
const BUILT_IN: Readonly<Record<MaskingKind, FindPassages>> = {
  email: findEmails,
  iban: findIbans,
  card: findCards,
  ip: findIps,
  phone: findPhones,
};

/** Returns the built-in rules of these kinds in the order of application. */
export function builtInMaskings(kinds: readonly MaskingKind[]): readonly Masking[] {
  return (Object.keys(BUILT_IN) as MaskingKind[])
    .filter((kind) => kinds.includes(kind))
    .map((name) => ({ name, find: BUILT_IN[name] }));
}

/**
 * Applies the rules in turn and adds the number of passages found by each to `counts`. A rule never sees the marks of earlier rules.
 */
export function maskText(text: string, rules: readonly Masking[], counts: Map<string, number>): string {
  let pieces: readonly Piece[] = [{ text, isMark: false }];
  for (const rule of rules) {
    const masked = pieces.flatMap((piece) => (piece.isMark ? [piece] : split(piece.text, rule)));
    const found = countMarks(masked) - countMarks(pieces);
    if (found > 0) counts.set(rule.name, (counts.get(rule.name) ?? 0) + found);
    pieces = masked;
  }
  return pieces.map((piece) => piece.text).join("");
}

interface Piece {
  readonly text: string;
  readonly isMark: boolean;
}

function countMarks(pieces: readonly Piece[]): number {
  return pieces.filter(({ isMark }) => isMark).length;
}

function split(text: string, { name, find }: Masking): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const [start, end] of find(text)) {
    pieces.push({ text: text.slice(from, start), isMark: false }, { text: `[${name}]`, isMark: true });
    from = end;
  }
  pieces.push({ text: text.slice(from), isMark: false });
  return pieces;
}
