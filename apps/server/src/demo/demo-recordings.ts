import { murmur3 } from "@assay/bucketing";
import data from "./prompt-variants.json" with { type: "json" };

/** What is known of one recorded answer. */
export interface Recording {
  readonly number: number;
  readonly characters: number;
  /** Probability that the judge preferred the answer to that of gpt-4-1106-preview, 0 to 1. */
  readonly preference: number;
  /** The mean length of the item's answers under all variants. */
  readonly usualCharacters: number;
}

/** Writes what stands for an answer whose text is not bundled. It names no variant; who has the recordings can tell it by its number. */
export function recordingText(item: number, variant: number): string {
  const [characters] = data.items[item]?.[variant] ?? [];
  const number = item * data.variants.length + variant;
  return `Recorded answer ${number}, of ${characters} characters; its text is not bundled.`;
}

/** Finds the recording that a text stands for, wherever in the text; null when it stands for none. */
export function findRecording(text: string): Recording | null {
  const number = Number(/Recorded answer (\d{1,5}),/.exec(text)?.[1] ?? "-1");
  const item = data.items[Math.floor(number / data.variants.length)];
  const [characters, , preference] = item?.[number % data.variants.length] ?? [];
  if (item === undefined || characters === undefined || preference === undefined) return null;
  const usualCharacters = item.reduce((sum, [length = 0]) => sum + length, 0) / item.length;
  return { number, characters, preference, usualCharacters };
}

/** Preferences so close to 0 or 1 are taken for this far from it: their logarithm says nothing. */
const CLOSEST = 0.001;
const HASHES = 2 ** 32;

/**
 * Makes up which answer a reader would prefer, 1 for the recorded one: nobody ever labelled these. The stated rule: readers
 * agree with the judge, except that length does not impress them. Their log odds are the judge's, less twice the logarithm of how
 * much longer the answer is than the item's answers are on average; a hash of the answer's number draws from them.
 */
export function simulatedLabel({ number, preference, characters, usualCharacters }: Recording): 0 | 1 {
  const judged = Math.min(1 - CLOSEST, Math.max(CLOSEST, preference));
  const logOdds = Math.log(judged / (1 - judged)) - 2 * Math.log(characters / usualCharacters);
  return murmur3(`reader ${number}`, 0) / HASHES < 1 / (1 + Math.exp(-logOdds)) ? 1 : 0;
}
