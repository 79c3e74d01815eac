import type { Preference, RehearsalAnswer, RehearsalFacts } from "@assay/domain";

/** A place in a rehearsal: numbers of an input, an arm (0: control) and a repeat. */
export interface Place {
  readonly item: number;
  readonly arm: number;
  readonly repeat: number;
}

/** The facts of a rehearsal by place. An unknown number is NaN. */
export interface IndexedFacts {
  readonly answer: (place: Place) => RehearsalAnswer | undefined;
  readonly score: (place: Place) => number;
  /** Preference in a pair, by its treatment: 1 if the treatment is preferred, -1 if control is, 0 for a tie. */
  readonly controlFirst: (place: Place) => number;
  readonly treatmentFirst: (place: Place) => number;
  readonly pick: (place: Place) => number;
  readonly isSame: (place: Place) => boolean;
  readonly isUnjudged: (place: Place) => boolean;
}

const VALUES: Readonly<Record<Preference, number>> = { control: -1, tie: 0, treatment: 1 };

/** Indexes facts by place. Facts about erased inputs, unknown arms or unknown repeats are left out. */
export function indexFacts(facts: RehearsalFacts): IndexedFacts {
  const { arms, repeats } = facts.plan;
  const items = new Map(facts.items.map(({ id }, item) => [id, item]));
  const armOf = new Map(arms.map(({ name }, arm) => [name, arm]));
  const size = items.size * arms.length * repeats;
  const slotOf = ({ item, arm, repeat }: Place) => (item * arms.length + arm) * repeats + repeat;
  const find = ({ itemId, arm: name, repeat }: { itemId: string; arm: string; repeat: number }) => {
    const [item, arm] = [items.get(itemId), armOf.get(name)];
    const isKnown = item !== undefined && arm !== undefined && repeat < repeats;
    return isKnown ? slotOf({ item, arm, repeat }) : size;
  };
  const column = <F>(own: readonly F[], slot: (fact: F) => number, value: (fact: F) => number) => {
    // Facts without a place go to the last entry.
    const values = new Float64Array(size + 1).fill(Number.NaN);
    for (const fact of own) values[slot(fact)] = value(fact);
    return (place: Place) => values[slotOf(place)]!;
  };
  const slotOfPair = ({ itemId, treatment, repeat }: { itemId: string; treatment: string; repeat: number }) =>
    find({ itemId, arm: treatment, repeat });
  const preferred = ({ preference }: { preference: Preference }) => VALUES[preference];
  const judgedWith = (first: "control" | "treatment") =>
    column(
      facts.judgements.filter((judgement) => judgement.first === first),
      slotOfPair,
      preferred,
    );
  const answers = new Array<RehearsalAnswer | undefined>(size + 1);
  for (const answer of facts.answers) answers[find(answer)] = answer;
  const same = column(facts.same ?? [], find, () => 1);
  const unjudged = column(facts.unjudged ?? [], find, () => 1);
  return {
    answer: (place) => answers[slotOf(place)],
    score: column(facts.scores, find, ({ score }) => score),
    controlFirst: judgedWith("control"),
    treatmentFirst: judgedWith("treatment"),
    pick: column(facts.picks, slotOfPair, preferred),
    isSame: (place) => same(place) === 1,
    isUnjudged: (place) => unjudged(place) === 1,
  };
}
