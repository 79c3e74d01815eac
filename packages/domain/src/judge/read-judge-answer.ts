import { isRecord } from "../json.ts";
import { sliceText } from "../slice-text.ts";
import { isScoreOf, type JudgeScale } from "./judge.ts";
import { SHOWN_ANSWERS, type ShownAnswer } from "./pairwise-request.ts";

export const MAX_REASON_LENGTH = 2_000;
const SHOWN_LENGTH = 200;
/** Limits the search for an object to the answer's last characters and to a few braces, so that hostile texts cannot take long. */
const SEARCHED_LENGTH = 20_000;
const MAX_OPENINGS = 50;
const MAX_CLOSINGS = 5;

export type ReadJudgement =
  | { readonly kind: "scored"; readonly score: number; readonly reason: string }
  | { readonly kind: "malformed"; readonly detail: string };

/**
 * Reads a judge's answer: the last JSON object in it that has a score, whatever surrounds it (code fences, thoughts).
 * The reason is cut to 2,000 characters.
 */
export function readJudgeAnswer(scale: JudgeScale, text: string): ReadJudgement {
  const found = lastWith("score", text);
  if (found === null) return malformed(`The answer has no JSON object with a score: ${shown(text)}`);
  const score = toScore(scale, found.score);
  if (score === null)
    return malformed(`${shown(JSON.stringify(found.score))} is not a score on the scale ${scale}.`);
  const reason = reasonOf(found);
  return reason === null
    ? malformed("The answer has a score but no reason.")
    : { kind: "scored", score, reason };
}

export type ReadPreference =
  | { readonly kind: "preferred"; readonly better: ShownAnswer; readonly reason: string }
  | Extract<ReadJudgement, { readonly kind: "malformed" }>;

/** Reads which of two answers a judge prefers, like `readJudgeAnswer`. */
export function readPreferenceAnswer(text: string): ReadPreference {
  const found = lastWith("better", text);
  if (found === null)
    return malformed(`The answer has no JSON object that says which answer is better: ${shown(text)}`);
  const said = String(found.better).trim().toLowerCase();
  const better = SHOWN_ANSWERS.find((known) => known === said);
  if (better === undefined)
    return malformed(`${shown(JSON.stringify(found.better))} is not first, second or tie.`);
  const reason = reasonOf(found);
  return reason === null
    ? malformed("The answer has a preference but no reason.")
    : { kind: "preferred", better, reason };
}

function reasonOf({ reason }: Readonly<Record<string, unknown>>): string | null {
  if (typeof reason !== "string" || reason.trim() === "") return null;
  return cut(reason.trim(), MAX_REASON_LENGTH);
}

function malformed(detail: string): Extract<ReadJudgement, { readonly kind: "malformed" }> {
  return { kind: "malformed", detail };
}

function lastWith(field: string, text: string): Readonly<Record<string, unknown>> | null {
  const tail = text.slice(-SEARCHED_LENGTH);
  for (const end of positionsBack(tail, "}", MAX_CLOSINGS)) {
    const head = tail.slice(0, end + 1);
    for (const start of positionsBack(head, "{", MAX_OPENINGS)) {
      const value = parse(head.slice(start));
      if (isRecord(value) && value[field] !== undefined) return value;
    }
  }
  return null;
}

function positionsBack(text: string, mark: string, limit: number): readonly number[] {
  const positions: number[] = [];
  let at = text.lastIndexOf(mark);
  while (at >= 0 && positions.length < limit) {
    positions.push(at);
    // `lastIndexOf` treats a negative start as 0, so it would find a mark at 0 forever.
    at = at === 0 ? -1 : text.lastIndexOf(mark, at - 1);
  }
  return positions;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const WORDS: ReadonlyMap<string, number> = new Map([
  ["pass", 1],
  ["true", 1],
  ["fail", 0],
  ["false", 0],
]);

function toScore(scale: JudgeScale, value: unknown): number | null {
  const word = scale === "pass_fail" ? WORDS.get(String(value).trim().toLowerCase()) : undefined;
  const score = word ?? toNumber(value);
  return score !== null && isScoreOf(scale, score) ? score : null;
}

function toNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : null;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${sliceText(text, length - 1)}…`;
}

function shown(text: string): string {
  return text.trim() === "" ? "it is empty." : cut(text.trim(), SHOWN_LENGTH);
}
