import {
  builtInMaskings,
  type DatasetItem,
  inputOfPrompt,
  type Masking,
  type MaskingRules,
  maskText,
  type UploadFormat,
} from "@assay/domain";
import { UnreadableFile } from "../import/row-reader.ts";
import { ownMaskings } from "./own-maskings.ts";
import { readUploadFile } from "./read-upload-file.ts";

/** A drawn call: its input is in the prompt. */
export interface CallToRead extends Omit<DatasetItem, "messages"> {
  readonly prompt: string;
}

/** What the thread is asked to read, and to mask. */
export type InputTask = { readonly rules: MaskingRules } & (
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly format: UploadFormat | null }
  | {
      readonly kind: "calls";
      readonly calls: readonly CallToRead[];
      readonly variantPrompts: readonly string[];
    }
);

export interface PreparedInputs {
  readonly items: readonly DatasetItem[];
  /** How many passages were masked, by rule. */
  readonly masked: Readonly<Record<string, number>>;
  /** The format of a file; null for calls. */
  readonly format: UploadFormat | null;
}

/** Inputs that come ahead of the answer. */
export interface InputPortion {
  readonly portion: readonly DatasetItem[];
}

/** What is wrong with the file, in sentences that name the line. */
export interface RefusedInputs {
  readonly faults: readonly string[];
}

/** Reads the inputs of a file or of calls, and masks their texts. Calls without a usable input are left out. */
export function prepareInputs(task: InputTask): PreparedInputs | RefusedInputs {
  if (task.kind === "calls") {
    const read = task.calls.flatMap(({ prompt, ...item }) => {
      const messages = inputOfPrompt(prompt, task.variantPrompts);
      return messages === null ? [] : [{ ...item, messages }];
    });
    return { ...mask(read, task.rules), format: null };
  }
  try {
    const { items, faults, format } = readUploadFile(Buffer.from(task.bytes), task.format);
    if (faults.length > 0) return { faults };
    if (items.length === 0) return { faults: ["The file has no inputs."] };
    return { ...mask(items, task.rules), format };
  } catch (error) {
    if (error instanceof UnreadableFile) return { faults: [error.message] };
    throw error;
  }
}

/** An org's own rules come first, because they are more specific than the built-in ones. */
function mask(items: readonly DatasetItem[], { builtIn, own }: MaskingRules) {
  const rules: readonly Masking[] = [...ownMaskings(own), ...builtInMaskings(builtIn)];
  const counts = new Map<string, number>();
  const masked = items.map(({ messages, reference, ...item }) => ({
    ...item,
    messages: messages.map(({ role, text }) => ({ role, text: maskText(text, rules, counts) })),
    reference: reference === null ? null : maskText(reference, rules, counts),
  }));
  return { items: masked, masked: Object.fromEntries(counts) };
}
