import { nearestTo, type QuestionIndex, questionIndex } from "./nearest-question.ts";
import { likeness, questionKey, wordsOf } from "./words.ts";

/** A model call as a comparison sees it. */
export interface AnsweredCall {
  readonly eventId: string;
  readonly variant: string;
  /** Epoch milliseconds. */
  readonly occurredAt: number;
  /** What the user asked, without the variant's prompt. */
  readonly question: string;
  /** Null: the call failed. */
  readonly answer: string | null;
}

/** One variant's answer to a question. */
export interface ComparedAnswer<Call> {
  readonly call: Call;
  /** How similar its own question is to the one it is shown under; 1: the same words, perhaps in another order. */
  readonly likeness: number;
}

/** A question with answers of at least two variants. */
export interface Comparison<Call> {
  readonly question: string;
  /** How many calls asked it in the same words. */
  readonly asked: number;
  /** How much the answers differ, 0 to 1: one minus the mean likeness over all pairs. Null with fewer than two answers. */
  readonly difference: number | null;
  /** In the order of `variants`; a variant without an answer is absent. */
  readonly answers: readonly ComparedAnswer<Call>[];
}

/** How to choose the answers to show. */
export interface ComparedBy<Call> {
  /** In the order in which answers are shown. */
  readonly variants: readonly string[];
  /**
   * Among a variant's calls with the same question, the highest ranked is shown; among equals, the newest.
   */
  readonly rank: (call: Call) => number;
}

/** A question, with the call to show for each variant that answered it. */
interface Asked<Call> {
  readonly question: string;
  readonly words: ReadonlySet<string>;
  readonly calls: number;
  readonly shown: ReadonlyMap<string, Call>;
}

/**
 * Compares the variants' answers to the same question. Questions are the same if their words are, ignoring case and punctuation. A
 * variant that was never asked a question shows its answer to the nearest one, if at least half of the words are in common.
 *
 * The most asked questions come first. An answer appears in only one comparison, unless every variant answered its question: such
 * an answer may also be shown as the nearest one for other questions.
 */
export function compareAnswers<Call extends AnsweredCall>(
  calls: readonly Call[],
  by: ComparedBy<Call>,
): readonly Comparison<Call>[] {
  const asked = askedQuestions(calls, by);
  const index = questionIndex(asked.map(({ words }) => words));
  // Questions that are already shown and were not asked under every variant.
  const spent = new Set<Asked<Call>>();
  const compared: Comparison<Call>[] = [];
  const spend = (one: Asked<Call>) => one.shown.size < by.variants.length && spent.add(one);
  for (const one of asked) {
    if (spent.has(one)) continue;
    const nearest = new Map<string, Nearest<Call>>();
    for (const variant of by.variants.filter((name) => !one.shown.has(name))) {
      const found = findNearest(one, variant, { asked, index, spent });
      if (found !== null) nearest.set(variant, found);
    }
    if (one.shown.size + nearest.size < 2) continue;
    spend(one);
    for (const { other } of nearest.values()) spend(other);
    const answers = by.variants.flatMap((variant) => {
      const own = one.shown.get(variant);
      return own !== undefined ? { call: own, likeness: 1 } : (nearest.get(variant)?.answer ?? []);
    });
    compared.push({ question: one.question, asked: one.calls, difference: differenceOf(answers), answers });
  }
  return compared;
}

function askedQuestions<Call extends AnsweredCall>(
  calls: readonly Call[],
  { variants, rank }: ComparedBy<Call>,
): readonly Asked<Call>[] {
  const better = (one: Call, other: Call) =>
    rank(other) - rank(one) || other.occurredAt - one.occurredAt || (one.eventId < other.eventId ? -1 : 1);
  const isCompared = new Set(variants);
  const groups = Map.groupBy(
    calls.filter(({ variant }) => isCompared.has(variant)),
    ({ question }) => questionKey(question),
  );
  return [...groups.entries()]
    .filter(([words]) => words !== "")
    .map(([words, ofQuestion]) => {
      const sorted = ofQuestion.toSorted(better);
      const [first] = sorted as [Call];
      const shown = new Map(sorted.toReversed().map((call) => [call.variant, call]));
      return { question: first.question, words: new Set(words.split(" ")), calls: ofQuestion.length, shown };
    })
    .sort((one, other) => other.calls - one.calls || (one.question < other.question ? -1 : 1));
}

interface Among<Call> {
  readonly asked: readonly Asked<Call>[];
  readonly index: QuestionIndex;
  readonly spent: ReadonlySet<Asked<Call>>;
}

interface Nearest<Call> {
  readonly other: Asked<Call>;
  readonly answer: ComparedAnswer<Call>;
}

function findNearest<Call>(
  one: Asked<Call>,
  variant: string,
  { asked, index, spent }: Among<Call>,
): Nearest<Call> | null {
  const found = nearestTo(one.words, index, (place) => {
    const other = asked[place]!;
    return other !== one && !spent.has(other) && other.shown.has(variant);
  });
  if (found === null) return null;
  const other = asked[found.place]!;
  return { other, answer: { call: other.shown.get(variant)!, likeness: found.likeness } };
}

function differenceOf(answers: readonly ComparedAnswer<AnsweredCall>[]): number | null {
  const texts = answers.flatMap(({ call }) => (call.answer === null ? [] : [new Set(wordsOf(call.answer))]));
  const pairs = texts.flatMap((one, place) => texts.slice(place + 1).map((other) => likeness(one, other)));
  return pairs.length === 0 ? null : 1 - pairs.reduce((sum, value) => sum + value) / pairs.length;
}
