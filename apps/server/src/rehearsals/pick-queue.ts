import {
  DomainError,
  drawPairs,
  fewestPicks,
  inputText,
  invalidBody,
  pairKey,
  pairsToPick,
  type Rehearsal,
  type RehearsalPick,
  type RehearsalText,
  type ShownPair,
  showPair,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { blindAnswer } from "./ask-request.ts";

type QueueDeps = { readonly control: Pick<Deps["control"], "rehearsals" | "datasets"> };

/** A queue's texts end where they are longer. */
const QUEUE_CHARACTERS = 2_000_000;

/** What people may pick in, and what they did. */
export interface PickQueue {
  /** Pairs that are drawn from. */
  readonly pairs: number;
  readonly picks: readonly RehearsalPick[];
  /** Without a pick, in the order in which they are shown. */
  readonly waiting: readonly ShownPair[];
  /** Picks of the treatment with the fewest. */
  readonly picked: number;
}

/** Draws the pairs for people's picks. Throws `rehearsal-state` when there are no pairs to pick from. */
export async function loadPickQueue(rehearsal: Rehearsal, { control }: QueueDeps): Promise<PickQueue> {
  const { orgId, id, plan } = rehearsal;
  const refusal = refusalOf(rehearsal);
  if (refusal !== null) throw new DomainError("rehearsal-state", refusal);
  const drawn = drawPairs(id, await control.rehearsals.listJudgedPairs(orgId, id));
  const picks = await control.rehearsals.listPicks(orgId, id);
  const picked = fewestPicks(picks, plan.arms.length - 1);
  const waiting = pairsToPick(drawn, picks).map((pair) => showPair(id, pair));
  return { pairs: drawn.length, picks, picked, waiting };
}

/** A sample of what is still growing would prefer what came early. */
function refusalOf({ state, plan, hasTexts }: Rehearsal): string | null {
  if (plan.judge.mode !== "pairwise")
    return "Picks correct preferences, but this rehearsal scores each answer: rehearse with the mode pairwise.";
  if (state !== "done" && state !== "stopped")
    return `The rehearsal is ${state}. People pick once it is done or stopped.`;
  return hasTexts ? null : "The texts were removed with their dataset.";
}

/** Gets a pair that a person was shown: one of the next in the queue, or one that has a pick. */
export function getShown({ picks, waiting }: PickQueue, rehearsal: Rehearsal, id: string): ShownPair {
  const shown = [...waiting, ...picks.map((pick) => showPair(rehearsal.id, pick))];
  const pair = shown.find((one) => one.id === id);
  if (pair === undefined) throw invalidBody([{ pointer: "/id", detail: "It must be a pair of the queue." }]);
  return pair;
}

/** Picks of the treatment with the fewest, with one in this pair. */
export function pickedWith({ picks }: PickQueue, pair: ShownPair, { plan }: Rehearsal): number {
  const others = picks.filter((pick) => pairKey(pick) !== pairKey(pair));
  return fewestPicks([...others, pair], plan.arms.length - 1);
}

/** Loads the texts of the first `limit` pairs, as blind as a judge sees them. Leaves out pairs whose texts are gone. */
export async function loadShownPairs(
  rehearsal: Rehearsal,
  pairs: readonly ShownPair[],
  { control, limit }: QueueDeps & { readonly limit: number },
) {
  const { orgId, id, plan } = rehearsal;
  const shown = [];
  let left = QUEUE_CHARACTERS;
  for (const pair of pairs) {
    if (shown.length === limit || left <= 0) break;
    const found = await control.rehearsals.findPair(orgId, id, pair.place);
    if (found === null) continue;
    const { position, itemId } = found.input;
    const [item] = await control.datasets.listItems(orgId, plan.datasetId, { after: position - 1, limit: 1 });
    const textOf = (arm: number) => found.records.find(isAnswerOf(pair, arm))?.text ?? null;
    const texts = [textOf(0), textOf(pair.arm)];
    const [first, second] = pair.first === "control" ? texts : texts.toReversed();
    if (item?.id !== itemId || first == null || second == null) continue;
    left -= first.length + second.length + inputText(item).length;
    shown.push({
      id: pair.id,
      messages: [...item.messages],
      reference: item.reference,
      first: blindAnswer(first, plan),
      second: blindAnswer(second, plan),
    });
  }
  return shown;
}

const isAnswerOf =
  ({ repeat }: ShownPair, arm: number) =>
  (record: RehearsalText) =>
    record.kind === "answer" && record.arm === arm && record.repeat === repeat;
