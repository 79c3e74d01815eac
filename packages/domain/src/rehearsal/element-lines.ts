const OPENING = new Set(["{", "["]);
const CLOSING = new Set(["}", "]"]);

/**
 * Returns the line on which each wanted element of a list begins, by the element's index. The list is the JSON text itself or a member
 * of its object. Lines count from 1.
 */
export function elementLines(
  json: string,
  member: string | null,
  wanted: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const lines = new Map<number, number>();
  const depthOfElements = member === null ? 1 : 2;
  const name = member === null ? null : JSON.stringify(member);
  let [at, line, depth, index] = [0, 1, 0, -1];
  let lastString = "";
  let isInList = member === null;
  let isBeforeElement = false;
  for (; at < json.length; at++) {
    const character = json[at] as string;
    if (character === "\n") line += 1;
    if (character.trim() === "") continue;
    const isElement = isBeforeElement && !CLOSING.has(character) && character !== ",";
    if (isElement) {
      isBeforeElement = false;
      index += 1;
      if (wanted.has(index)) lines.set(index, line);
    }
    if (character === '"') {
      const end = endOfString(json, at);
      lastString = depth === 1 ? json.slice(at, end + 1) : lastString;
      at = end;
    } else if (OPENING.has(character)) {
      depth += 1;
      if (depth === depthOfElements && (member === null || lastString === name)) isInList = true;
      if (depth === depthOfElements && isInList) isBeforeElement = true;
    } else if (CLOSING.has(character)) {
      if (depth === depthOfElements && isInList) break;
      depth -= 1;
    } else if (character === "," && depth === depthOfElements && isInList) isBeforeElement = true;
  }
  return lines;
}

/** The position of the quote that ends the string which begins at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}
