import { isRecord } from "../json.ts";
import { type ChatTurn, contentText, messageTurns } from "../judge/chat-turns.ts";
import type { UploadFormat } from "./upload-format.ts";

/** The content of a row of a file. */
export interface UploadedInput {
  readonly turns: readonly ChatTurn[];
  readonly reference: string | null;
  /** Null: the file gives none. */
  readonly id: string | null;
  readonly userId: string | null;
}

type Row = Readonly<Record<string, unknown>>;

/** Reads a row of a format. Null: by the format, the row is not an input of its own. Throws `RowError`. */
export function readUploadRow(format: UploadFormat, row: unknown): UploadedInput | null {
  if (!isRecord(row)) throw new RowError("The row must be an object.");
  return READERS[format](row);
}

/** A row cannot be read; the message says why and what to do. */
export class RowError extends Error {
  override readonly name = "RowError";
}

const READERS: Readonly<Record<UploadFormat, (row: Row) => UploadedInput | null>> = {
  jsonl: (row) => ({
    turns: turnsOf(row.input, "input"),
    reference: referenceOf(row.reference),
    id: idOf(row.id, "id"),
    userId: idOf(row.user_id, "user_id"),
  }),
  csv: (row) => ({
    turns: [{ role: "user", text: String(row.input) }],
    reference: referenceOf(row.reference),
    id: idOf(row.id, "id"),
    userId: idOf(row.user_id, "user_id"),
  }),
  "openai-evals": (row) => ({
    turns: turnsOf(row.input, "input"),
    reference: referenceOf(row.ideal),
    id: null,
    userId: null,
  }),
  promptfoo: readTest,
  // Later epochs repeat the samples of the first.
  inspect: (row) =>
    typeof row.epoch === "number" && row.epoch > 1
      ? null
      : {
          turns: turnsOf(row.input, "input"),
          reference: referenceOf(row.target),
          id: idOf(row.id, "id"),
          userId: null,
        },
  langfuse: (row) =>
    row.status === "ARCHIVED"
      ? null
      : {
          turns: turnsOf(row.input, "input"),
          reference: referenceOf(row.expectedOutput ?? row.expected_output),
          id: idOf(row.id, "id"),
          userId: null,
        },
};

/** promptfoo assertions whose value is an answer to compare with. */
const COMPARING = new Set(["equals", "similar", "factuality", "model-graded-factuality"]);

function readTest({ vars, assert }: Row): UploadedInput {
  if (!isRecord(vars))
    throw new RowError(
      "`vars` must be an object with the test's variables, not the name of a file: put the variables here.",
    );
  const comparing = (Array.isArray(assert) ? assert : []).find(
    (each) => isRecord(each) && COMPARING.has(String(each.type)),
  );
  const turns = turnsOf(vars, "vars");
  if (turns.some(({ text }) => text.startsWith("file://")))
    throw new RowError("A variable refers to a file: replace it with the file's text.");
  return { turns, reference: referenceOf(comparing?.value), id: null, userId: null };
}

/** Names under which an object has the user's message, in the order in which they are tried. */
const MESSAGE_NAMES = ["input", "question", "query", "prompt", "message", "text"];

/** A text is a single user message. Other values are messages, or an object that contains the user's message. */
function turnsOf(value: unknown, name: string): readonly ChatTurn[] {
  const turns = typeof value === "string" ? [{ role: "user" as const, text: value }] : messageTurns(value);
  if (turns !== null) return turns;
  if (isRecord(value)) return [{ role: "user", text: messageIn(value, name) }];
  throw new RowError(
    value === undefined
      ? `\`${name}\` is missing.`
      : `\`${name}\` must be a string, or a list of messages with \`role\` and \`content\`.`,
  );
}

function messageIn(fields: Row, name: string): string {
  const texts = Object.keys(fields).filter((key) => typeof fields[key] === "string");
  const [only] = texts;
  const found = texts.length === 1 ? only : MESSAGE_NAMES.find((key) => texts.includes(key));
  if (found === undefined)
    throw new RowError(
      `\`${name}\` has no user message: put its text under ${MESSAGE_NAMES.slice(0, -1).join(", ")} or ${MESSAGE_NAMES.at(-1)}.`,
    );
  return fields[found] as string;
}

/** A list contains several right answers, which are written one per line. An object that is not a message becomes JSON. */
function referenceOf(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((each) => typeof each === "string"))
    return value.length === 0 ? null : value.join("\n");
  const content = isRecord(value) && typeof value.role === "string" ? contentText(value.content) : "";
  return content === "" ? JSON.stringify(value) : content;
}

const MAX_ID_CHARACTERS = 256;

function idOf(value: unknown, name: string): string | null {
  if (value === undefined || value === null || value === "") return null;
  const id = typeof value === "number" ? String(value) : value;
  if (typeof id === "string" && id.length <= MAX_ID_CHARACTERS && /^\P{Cc}+$/u.test(id) && id.isWellFormed())
    return id;
  throw new RowError(
    `\`${name}\` must be a number, or a string of at most ${MAX_ID_CHARACTERS} characters on one line.`,
  );
}
