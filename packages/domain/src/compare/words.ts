/** A word. In scripts without spaces between words, each character counts as a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}])[\p{L}\p{N}\p{M}])+/gu;

/** Splits a text into lowercase words without punctuation. A text without words counts as a single word. */
export function wordsOf(text: string): readonly string[] {
  const words = text.normalize("NFKC").toLowerCase().match(WORD);
  if (words !== null) return words;
  const rest = text.trim();
  return rest === "" ? [] : [rest];
}

/** Whether two questions are the same: the same words in the same order, ignoring case and punctuation. */
export function isSameQuestion(one: string, other: string): boolean {
  return questionKey(one) === questionKey(other);
}

/** A key that equal questions share. Empty without a word. */
export function questionKey(question: string): string {
  return wordsOf(question).join(" ");
}

/**
 * Similarity of two texts, from 0 to 1: the number of words in both over the number of words in either (Jaccard index). Two texts
 * without words have similarity 1.
 *
 * @example likeness(new Set(["a", "b"]), new Set(["b", "c"])); // 1/3
 */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const word of one) if (other.has(word)) common += 1;
  const all = one.size + other.size - common;
  return all === 0 ? 1 : common / all;
}

/** Similarity of two questions by their words, from 0 to 1. */
export function questionLikeness(one: string, other: string): number {
  return likeness(new Set(wordsOf(one)), new Set(wordsOf(other)));
}
