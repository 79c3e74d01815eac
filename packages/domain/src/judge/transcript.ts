import type { ExperimentUnit } from "../experiment/unit.ts";
import type { CallTexts, UnitEventsSoFar } from "../ports/judgeable.ts";
import { type BlindCall, type PromptCuts, promptCuts } from "./blind-call.ts";

/** The longest transcript, in characters: about 15,000 tokens. A judge sees only the beginning and the end of a longer one. */
export const MAX_TRANSCRIPT = 60_000;
/** How much of the beginning of a longer transcript is kept. */
export const KEPT_BEGINNING = 10_000;

/** What a judge may see of a conversation or run. */
export interface Transcript {
  readonly unit: Exclude<ExperimentUnit, "user">;
  /** The turns with their speakers, one below the other. */
  readonly text: string;
  /** A part is left out. */
  readonly isCut: boolean;
}

/** What a judge scores: an answer, or a whole conversation or run. */
export type JudgedText = BlindCall | Transcript;

/**
 * Writes what was said in a unit, without what would reveal the variant (see `blindCall`). Each model call adds the turns of its prompt
 * that follow the last answer, then its own answer. Tool calls are listed in between. Null: there is no text at all.
 */
export function transcriptOf(
  unit: Transcript["unit"],
  { events, isCut }: UnitEventsSoFar,
  variantPrompts: readonly (string | null)[],
): Transcript | null {
  const cuts = promptCuts(variantPrompts);
  const lines: string[] = [];
  /** Turns without an answer yet. If a model calls tools, the next request repeats them along with the tools' results. */
  let open: readonly string[] = [];
  let isFirst = true;
  for (const event of events) {
    const { prompt, response, hasFailed } = event;
    if (event.tool !== null) {
      lines.push(toolLine(event.tool, event, cuts));
      continue;
    }
    const turns = newTurns(prompt, cuts, isFirst).map(({ role, text }) => `${role}: ${text}`);
    lines.push(...turns.filter((turn) => !open.includes(turn)));
    isFirst = false;
    open = [...open, ...turns];
    if (response !== null) {
      lines.push(`assistant: ${cuts.said(response).trim()}`);
      open = [];
    } else if (hasFailed) lines.push("[The call failed.]");
  }
  if (lines.length === 0) return null;
  const text = lines.join("\n\n");
  if (text.length <= MAX_TRANSCRIPT) return { unit, text, isCut };
  const beginning = text.slice(0, KEPT_BEGINNING).toWellFormed();
  const end = text.slice(text.length - (MAX_TRANSCRIPT - KEPT_BEGINNING)).toWellFormed();
  return { unit, text: `${beginning}\n\n[…]\n\n${end}`, isCut: true };
}

function toolLine(
  tool: string,
  { prompt, response, hasFailed }: CallTexts & { readonly hasFailed: boolean },
  { said }: PromptCuts,
): string {
  const given = prompt === null ? "" : ` ${said(prompt).trim()}`;
  const got = response === null ? "" : ` → ${said(response).trim()}`;
  return `[tool ${said(tool)}${given}${got}${hasFailed ? " (failed)" : ""}]`;
}

/** The new turns of a prompt: all of them in the first call, otherwise only those after the last answer. */
function newTurns(prompt: string | null, cuts: PromptCuts, isFirst: boolean) {
  if (prompt === null) return [];
  const turns = (cuts.turns(prompt) ?? []).filter(({ text }) => !cuts.hasPart(text));
  return isFirst ? turns : turns.slice(turns.findLastIndex(({ role }) => role === "assistant") + 1);
}
