/** Finds one text in others, from a position on; -1 if it does not occur. */
export type FindText = (text: string, from: number) => number;

/** Texts up to this length cannot make the runtime's search slow: at worst it compares this many characters per position. */
const SHORT = 32;

/**
 * Returns a function that finds `wanted` and reads each character of a text at most twice (Knuth, Morris and Pratt). The
 * runtime's `indexOf` needs seconds for 256 KiB of one character and a prompt that differs in the middle.
 */
export function finderOf(wanted: string): FindText {
  if (wanted.length <= SHORT) return (text, from) => text.indexOf(wanted, from);
  const borders = bordersOf(wanted);
  return (text, from) => {
    let matched = 0;
    for (let at = from; at < text.length; at++) {
      matched = extend(wanted, borders, matched, text.charCodeAt(at));
      if (matched === wanted.length) return at - matched + 1;
    }
    return -1;
  };
}

/** For each prefix of the text, the length of its longest proper suffix that is also a prefix. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  for (let length = 2, border = 0; length <= text.length; length++) {
    border = extend(text, borders, border, text.charCodeAt(length - 1));
    borders[length] = border;
  }
  return borders;
}

/** Returns how much of `wanted` matches if `unit` follows `matched` matching units. */
function extend(wanted: string, borders: Int32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length] as number;
  return wanted.charCodeAt(length) === unit ? length + 1 : 0;
}
