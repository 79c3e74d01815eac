/** A word. In scripts without spaces between words each character counts as one. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}])[\p{L}\p{N}\p{M}])+/gu;

/** Splits a text into its words, in lower case and without punctuation. A text without any is its own word. */
export function wordsOf(text: string): readonly string[] {
  const words = text.normalize("NFKC").toLowerCase().match(WORD);
  if (words !== null) return words;
  const rest = text.trim();
  return rest === "" ? [] : [rest];
}

/** Whether two questions are the same: the same words in the same order, whatever their case and punctuation. */
export function isSameQuestion(one: string, other: string): boolean {
  return questionKey(one) === questionKey(other);
}

/** What questions that are the same share. Empty without a word. */
export function questionKey(question: string): string {
  return wordsOf(question).join(" ");
}

/**
 * How alike two texts are, from 0 to 1: the words that both have over the words that either has (Jaccard's index). Two texts without a
 * word are alike.
 *
 * @example likeness(new Set(["a", "b"]), new Set(["b", "c"])); // 1/3
 */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const word of one) if (other.has(word)) common += 1;
  const all = one.size + other.size - common;
  return all === 0 ? 1 : common / all;
}

/** How alike two questions are, from 0 to 1, by their words. */
export function questionLikeness(one: string, other: string): number {
  return likeness(new Set(wordsOf(one)), new Set(wordsOf(other)));
}
