import { murmur3 } from "@assay/bucketing";
import data from "./prompt-variants.json" with { type: "json" };

/** One recorded answer. */
export interface Recording {
  readonly number: number;
  readonly characters: number;
  /** Probability that the judge preferred the answer to gpt-4-1106-preview's, 0 to 1. */
  readonly preference: number;
  /** The mean length of the item's answers under all variants. */
  readonly usualCharacters: number;
}

/** Writes the placeholder of an answer whose text is not bundled. Its number identifies the recording; it names no variant. */
export function recordingText(item: number, variant: number): string {
  const [characters] = data.items[item]?.[variant] ?? [];
  const number = item * data.variants.length + variant;
  return `Recorded answer ${number}, of ${characters} characters; its text is not bundled.`;
}

/** Finds the recording whose placeholder occurs in a text; null when there is none. */
export function findRecording(text: string): Recording | null {
  const number = Number(/Recorded answer (\d{1,5}),/.exec(text)?.[1] ?? "-1");
  const item = data.items[Math.floor(number / data.variants.length)];
  const [characters, , preference] = item?.[number % data.variants.length] ?? [];
  if (item === undefined || characters === undefined || preference === undefined) return null;
  const usualCharacters = item.reduce((sum, [length = 0]) => sum + length, 0) / item.length;
  return { number, characters, preference, usualCharacters };
}

/** Preferences are clamped this far from 0 and 1, where their log odds would be infinite. */
const CLOSEST = 0.001;
const HASHES = 2 ** 32;

/**
 * Simulates which answer a reader would prefer, 1 for the recorded one, because nobody labeled these. Simulated readers
 * agree with the judge but are not impressed by length. Their log odds are the judge's, minus twice the logarithm of
 * the answer's length relative to the item's mean length; a hash of the answer's number draws from them.
 */
export function simulatedLabel({ number, preference, characters, usualCharacters }: Recording): 0 | 1 {
  const judged = Math.min(1 - CLOSEST, Math.max(CLOSEST, preference));
  const logOdds = Math.log(judged / (1 - judged)) - 2 * Math.log(characters / usualCharacters);
  return murmur3(`reader ${number}`, 0) / HASHES < 1 / (1 + Math.exp(-logOdds)) ? 1 : 0;
}
