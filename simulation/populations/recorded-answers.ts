import type { Preference, RehearsalFacts, RehearsalJudgeMode } from "@assay/domain";
import recorded from "../../apps/server/src/demo/prompt-variants.json" with { type: "json" };
import type { Draw } from "../random/draw.ts";
import { answerOf, planOf } from "./rehearsals.ts";

/** The prompts of the recorded answers. */
export type RecordedPrompt = "base" | "concise" | "verbose";

interface RecordedAnswer {
  readonly characters: number;
  /** Probability that the judge preferred it to the answer of gpt-4-1106-preview. */
  readonly score: number;
}

/** The recorded answers of 805 inputs (AlpacaEval), by prompt. */
const INPUTS: readonly Readonly<Record<RecordedPrompt, RecordedAnswer>>[] = recorded.items.map((answers) => {
  const of = (prompt: RecordedPrompt) => {
    const [characters, , score] = answers[recorded.variants.indexOf(prompt)]!;
    return { characters: characters!, score: score! };
  };
  return { base: of("base"), concise: of("concise"), verbose: of("verbose") };
});

/** How often a pairwise judge takes the first answer, whatever it says. */
const ORDER_BIAS = 0.2;

/** Computes the mean difference between a prompt's score and the score of `base`, over all recorded inputs. */
export function recordedEffect(prompt: RecordedPrompt): number {
  return meanOver((input) => input[prompt].score - input.base.score);
}

/** Draws a rehearsal of inputs with replacement: `base` against the two other prompts. */
export function drawRecorded(
  draw: Draw,
  { inputs, mode }: { readonly inputs: number; readonly mode: RehearsalJudgeMode },
): RehearsalFacts {
  const prompts = ["base", "concise", "verbose"] as const;
  const judge = { rubric: "rubric", mode, scale: "0-1" } as const;
  const drawn = Array.from({ length: inputs }, () => INPUTS[draw.below(INPUTS.length)]!);
  const places = drawn.flatMap((input, item) =>
    prompts.map((arm) => ({ input, place: { itemId: `${item}`, arm, repeat: 0 } })),
  );
  const isPairwise = mode === "pairwise";
  return {
    plan: planOf(prompts, { judge, margin: 0.1 }),
    items: itemsOf(inputs),
    answers: places.map(({ input, place }) => answerOf(place, input[place.arm].characters)),
    scores: isPairwise ? [] : places.map(({ input, place }) => ({ ...place, score: input[place.arm].score })),
    judgements: isPairwise
      ? places
          .filter(({ place }) => place.arm !== "base")
          .flatMap(({ input, place }) => judgeBoth(draw, place, preferenceIn(input, place.arm)))
      : [],
    picks: [],
  };
}

/** A change of `base`. With probability `share`, an input gets the other prompt's answer; otherwise only its wording may change. */
export interface Edit {
  readonly prompt: RecordedPrompt;
  readonly share: number;
}

/** Share of the inputs on which an edit changes nothing at all. */
const SAME_SHARE = 0.3;

/** Computes the judge's mean preference for an edit, which is the truth for its rehearsal. */
export function editedPreference({ prompt, share }: Edit): number {
  const ofPrompt = meanOver((input) => VALUES[preferenceIn(input, prompt)]);
  return (1 - ORDER_BIAS) * (1 - SAME_SHARE) * share * ofPrompt;
}

/** Draws a pairwise rehearsal of an edit. */
export function drawEdited(
  draw: Draw,
  edit: Edit,
  { inputs, margin }: { readonly inputs: number; readonly margin: number },
): RehearsalFacts {
  const drawn = Array.from({ length: inputs }, () => INPUTS[draw.below(INPUTS.length)]!);
  const judgements = drawn.flatMap((input, item) => {
    const isCoin = !draw.chance(edit.share);
    const coin = draw.chance(0.5) ? "treatment" : "control";
    const changed = isCoin ? coin : preferenceIn(input, edit.prompt);
    const preference = draw.chance(SAME_SHARE) ? "tie" : changed;
    return judgeBoth(draw, { itemId: `${item}`, arm: "edit", repeat: 0 }, preference);
  });
  return {
    plan: planOf(["base", "edit"], { margin }),
    items: itemsOf(inputs),
    answers: drawn.flatMap(({ base }, item) =>
      ["base", "edit"].map((arm) => answerOf({ itemId: `${item}`, arm, repeat: 0 }, base.characters)),
    ),
    judgements,
    scores: [],
    picks: [],
  };
}

const VALUES: Readonly<Record<Preference, number>> = { control: -1, tie: 0, treatment: 1 };

/** Returns which of two recorded answers the judge preferred more often to the third model's answer. */
function preferenceIn(input: (typeof INPUTS)[number], prompt: RecordedPrompt): Preference {
  const better = input[prompt].score - input.base.score;
  if (better === 0) return "tie";
  return better > 0 ? "treatment" : "control";
}

function judgeBoth(
  draw: Draw,
  { itemId, arm: treatment, repeat }: { itemId: string; arm: string; repeat: number },
  preference: Preference,
) {
  return (["control", "treatment"] as const).map((first) => {
    const own = draw.chance(ORDER_BIAS) ? first : preference;
    return { itemId, treatment, repeat, first, preference: own };
  });
}

function itemsOf(inputs: number): RehearsalFacts["items"] {
  return Array.from({ length: inputs }, (_, item) => ({ id: `${item}`, cluster: item, probability: 1 }));
}

function meanOver(of: (input: (typeof INPUTS)[number]) => number): number {
  return INPUTS.reduce((sum, input) => sum + of(input), 0) / INPUTS.length;
}
