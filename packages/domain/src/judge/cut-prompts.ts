import { type FindText, finderOf } from "./find-text.ts";

/**
 * A prompt's placeholders: `{{name}}`, `{name}`, `${name}`, `{}` and `%s`. White space can match in only one place; otherwise a
 * long run of it would take quadratic time.
 */
const PLACEHOLDER = /\$?\{\{?\s*(?:[\w.-]+\s*)?\}?\}|%s/;
/** If this many characters of a prompt's line occur elsewhere, it is not a coincidence. */
const MIN_TELLING_LENGTH = 24;

/**
 * Replaces every prompt in a text, verbatim or JSON-escaped, the longest first. For a prompt with placeholders, the pieces around
 * them are replaced and the filled-in values stay.
 */
export function cutPrompts(text: string, prompts: readonly string[], mark: string): string {
  const forms = [...prompts]
    .sort((a, b) => b.length - a.length)
    .flatMap((prompt) => [prompt, JSON.stringify(prompt).slice(1, -1)]);
  return [...new Set(forms)].reduce((rest, prompt) => cutPieces(rest, piecesOf(prompt), mark), text);
}

/**
 * Returns whether a recognizable part of a prompt remains in a text, because it occurs in a form that cannot be cut out. The first
 * characters of a long line are enough, so that the work does not grow with the number of lines.
 */
export function hasPartOf(text: string, prompts: readonly string[]): boolean {
  const beginnings = new Set(
    prompts
      .flatMap((prompt) => prompt.split("\n"))
      .flatMap(piecesOf)
      .filter((part) => part.length >= MIN_TELLING_LENGTH)
      .map((part) => part.slice(0, MIN_TELLING_LENGTH)),
  );
  if (beginnings.size === 0) return false;
  for (let at = 0; at + MIN_TELLING_LENGTH <= text.length; at++)
    if (beginnings.has(text.slice(at, at + MIN_TELLING_LENGTH))) return true;
  return false;
}

function piecesOf(prompt: string): readonly string[] {
  return prompt
    .split(PLACEHOLDER)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
}

interface Piece {
  readonly length: number;
  readonly find: FindText;
}

/** Removes the pieces wherever all of them occur in order. */
function cutPieces(text: string, texts: readonly string[], mark: string): string {
  const total = texts.reduce((length, piece) => length + piece.length, 0);
  if (total === 0 || total > text.length) return text;
  const pieces = toPieces(texts);
  let kept = "";
  let from = 0;
  for (;;) {
    const starts = findInOrder(text, pieces, from);
    if (starts === null) return kept + text.slice(from);
    for (const [index, start] of starts.entries()) {
      kept += text.slice(from, start) + mark;
      from = start + (pieces[index] as Piece).length;
    }
  }
}

function toPieces(texts: readonly string[]): readonly Piece[] {
  const [only, ...others] = texts as [string, ...string[]];
  // Only a few words can be part of other words. Trying a long text at every position would take long.
  const isFewWords = others.length === 0 && only.length < MIN_TELLING_LENGTH;
  if (isFewWords) return [{ length: only.length, find: (text, from) => indexOfWords(text, only, from) }];
  return texts.map((piece) => ({ length: piece.length, find: finderOf(piece) }));
}

function findInOrder(text: string, pieces: readonly Piece[], from: number): readonly number[] | null {
  const starts: number[] = [];
  let next = from;
  for (const { length, find } of pieces) {
    const start = find(text, next);
    if (start < 0) return null;
    starts.push(start);
    next = start + length;
  }
  return starts;
}

/** Finds words at word boundaries only: the prompt "Hi" does not match "History". */
function indexOfWords(text: string, words: string, from: number): number {
  let start = text.indexOf(words, from);
  while (start >= 0 && (isInWord(text, start) || isInWord(text, start + words.length)))
    start = text.indexOf(words, start + 1);
  return start;
}

function isInWord(text: string, at: number): boolean {
  return at > 0 && /^[\p{L}\p{N}]{2}$/u.test(text.slice(at - 1, at + 1));
}
