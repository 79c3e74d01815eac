/** Finds one text in others, from a position on; -1 when it is not there. */
export type FindText = (text: string, from: number) => number;

/** So short a text cannot make the runtime's own search slow: at worst it compares this many characters at each position. */
const SHORT = 32;

/**
 * Makes the function that finds `wanted`. It reads each character of a text at most twice (Knuth, Morris and Pratt). The
 * runtime's own `indexOf` needs seconds for 256 KiB of one character and a prompt that differs from it in the middle.
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

/** For each length of a beginning of the text: how long its longest other end is that is also a beginning. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  for (let length = 2, border = 0; length <= text.length; length++) {
    border = extend(text, borders, border, text.charCodeAt(length - 1));
    borders[length] = border;
  }
  return borders;
}

/** How much of `wanted` matches once `unit` follows `matched` units of it. */
function extend(wanted: string, borders: Int32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length] as number;
  return wanted.charCodeAt(length) === unit ? length + 1 : 0;
}
