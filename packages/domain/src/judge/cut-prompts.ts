/** What a prompt leaves to be filled in: `{{name}}`, `{name}`, `${name}`, `{}` and `%s`. */
const PLACEHOLDER = /\$?\{\{?\s*[\w.-]*\s*\}?\}|%s/;
/** A line of a prompt so long is no accident elsewhere. */
const MIN_TELLING_LENGTH = 24;

/**
 * Replaces every prompt in a text, as it is or as JSON writes it, the longest first. Of a prompt with placeholders the pieces
 * around them go, and what was filled in stays.
 */
export function cutPrompts(text: string, prompts: readonly string[], mark: string): string {
  return [...prompts]
    .sort((a, b) => b.length - a.length)
    .flatMap((prompt) => [prompt, JSON.stringify(prompt).slice(1, -1)])
    .reduce((rest, prompt) => cutPieces(rest, piecesOf(prompt), mark), text);
}

/** Returns whether a recognizable part of a prompt is left in a text: the prompt is there in a form that cannot be cut out. */
export function hasPartOf(text: string, prompts: readonly string[]): boolean {
  return prompts
    .flatMap((prompt) => prompt.split("\n"))
    .flatMap(piecesOf)
    .some((part) => part.length >= MIN_TELLING_LENGTH && text.includes(part));
}

function piecesOf(prompt: string): readonly string[] {
  return prompt
    .split(PLACEHOLDER)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
}

/** Takes out all pieces in their order, as often as they are all there. */
function cutPieces(text: string, pieces: readonly string[], mark: string): string {
  if (pieces.length === 0) return text;
  let kept = "";
  let from = 0;
  for (;;) {
    const starts = findInOrder(text, pieces, from);
    if (starts === null) return kept + text.slice(from);
    for (const [index, start] of starts.entries()) {
      kept += text.slice(from, start) + mark;
      from = start + (pieces[index] as string).length;
    }
  }
}

function findInOrder(text: string, pieces: readonly string[], from: number): readonly number[] | null {
  // Only few words may be a part of others; to try a long text at every place would take long.
  const isFewWords = pieces.length === 1 && (pieces[0] as string).length < MIN_TELLING_LENGTH;
  const starts: number[] = [];
  let next = from;
  for (const piece of pieces) {
    const start = isFewWords ? indexOfWords(text, piece, next) : text.indexOf(piece, next);
    if (start < 0) return null;
    starts.push(start);
    next = start + piece.length;
  }
  return starts;
}

/** Finds words where no other word goes on: the prompt "Hi" is no part of "History". */
function indexOfWords(text: string, words: string, from: number): number {
  let start = text.indexOf(words, from);
  while (start >= 0 && (isInWord(text, start) || isInWord(text, start + words.length)))
    start = text.indexOf(words, start + 1);
  return start;
}

function isInWord(text: string, at: number): boolean {
  return at > 0 && /^[\p{L}\p{N}]{2}$/u.test(text.slice(at - 1, at + 1));
}
