import { likeness } from "./words.ts";

/** Questions less similar than this are different questions. */
export const LEAST_LIKENESS = 0.5;
/** Words that occur in more questions than this are not searched, because a search for "the" would read every question. */
const MOST_POSTINGS = 100;

/** Finds questions by their words. */
export interface QuestionIndex {
  readonly questions: readonly ReadonlySet<string>[];
  /** Positions of the questions that contain a word. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** Builds the index of questions, each given as its words. */
export function questionIndex(questions: readonly ReadonlySet<string>[]): QuestionIndex {
  const places = new Map<string, number[]>();
  for (const [place, words] of questions.entries())
    for (const word of words) {
      const known = places.get(word);
      if (known === undefined) places.set(word, [place]);
      else known.push(place);
    }
  return { questions, places };
}

/**
 * Finds the position of the question most similar to `words` for which `isWanted` is true; the first one on a tie. Null if no
 * similarity reaches one half. The work is bounded by the number of words, not by the number of questions.
 */
export function nearestTo(
  words: ReadonlySet<string>,
  { questions, places }: QuestionIndex,
  isWanted: (place: number) => boolean,
): { readonly place: number; readonly likeness: number } | null {
  const candidates = new Set<number>();
  for (const word of words) {
    const found = places.get(word) ?? [];
    if (found.length <= MOST_POSTINGS) for (const place of found) candidates.add(place);
  }
  let best: { place: number; likeness: number } | null = null;
  for (const place of candidates) {
    if (!isWanted(place)) continue;
    const alike = likeness(words, questions[place]!);
    if (alike < LEAST_LIKENESS) continue;
    if (best === null || alike > best.likeness || (alike === best.likeness && place < best.place))
      best = { place, likeness: alike };
  }
  return best;
}
