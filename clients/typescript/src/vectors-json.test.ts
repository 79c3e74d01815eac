import { expect, test } from "vitest";
import { readVectors } from "../test-support/read-vectors.ts";

interface JsonCase {
  readonly name: string;
  readonly text?: string;
  readonly utf16?: readonly number[];
  readonly repeat?: readonly { readonly text: string; readonly times: number }[];
  readonly valid: boolean;
  readonly value?: unknown;
}

const { cases } = readVectors<{ cases: readonly JsonCase[] }>("json");

test.each(cases)("json.json: $name", (vector) => {
  const text = textOf(vector);
  if (!vector.valid) expect(() => JSON.parse(text)).toThrow(SyntaxError);
  else if ("value" in vector) expect(canonical(JSON.parse(text))).toEqual(vector.value);
  else expect(JSON.stringify(JSON.parse(text))).toBe(text);
});

function textOf({ text, utf16, repeat = [] }: JsonCase): string {
  if (utf16) return String.fromCharCode(...utf16);
  return text ?? repeat.map((part) => part.text.repeat(part.times)).join("");
}

const unitsOf = (text: string) => Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));

/** Writes a parsed value in the format of the vectors. */
function canonical(value: unknown): unknown {
  if (typeof value === "string") return { text: unitsOf(value) };
  if (typeof value === "number") return { number: bitsOf(value) };
  if (Array.isArray(value)) return { list: value.map(canonical) };
  if (typeof value !== "object" || value === null) return value;
  // Comparing strings compares their UTF-16 code units.
  const names = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { fields: names.map(([name, field]) => ({ name: unitsOf(name), value: canonical(field) })) };
}

function bitsOf(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}
