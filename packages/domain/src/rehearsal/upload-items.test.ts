import { expect, test } from "vitest";
import { MAX_DATASET_ITEMS, MAX_ITEM_CHARACTERS } from "./dataset.ts";
import type { UploadFormat } from "./upload-format.ts";
import { MAX_UPLOAD_FAULTS, readUploadRows } from "./upload-items.ts";

const rowsOf = (...values: readonly unknown[]) => values.map((value) => ({ value }));
const chat = [
  { role: "system", content: "Be kind." },
  { role: "user", content: "Hi" },
  { role: "assistant", content: "Yes?" },
  { role: "user", content: "Why?" },
];
const CHAT = [
  { role: "user", text: "Hi" },
  { role: "assistant", text: "Yes?" },
  { role: "user", text: "Why?" },
];
const says = (text: string) => [{ role: "user", text }];
const item = (more: object) => ({
  ...{ id: "row-1", messages: says("Why?"), reference: null, userId: null },
  ...{ occurredAt: null, probability: 1 },
  ...more,
});

test.each<{ format: UploadFormat; name: string; row: unknown; expected: object }>([
  { format: "jsonl", name: "a text", row: { input: "Why?" }, expected: {} },
  {
    format: "jsonl",
    name: "every field",
    row: { id: 7, input: chat, reference: "So.", user_id: "ann", more: 1 },
    expected: { id: "7", messages: CHAT, reference: "So.", userId: "ann" },
  },
  {
    format: "jsonl",
    name: "fields that say nothing",
    row: { id: "", input: { messages: chat }, reference: "", user_id: null },
    expected: { messages: CHAT },
  },
  {
    format: "jsonl",
    name: "an object with a question",
    row: { input: { question: "Why?", n: 1 } },
    expected: {},
  },
  {
    format: "jsonl",
    name: "a text that looks like a chat",
    row: { input: "user: a\n\nassistant: b" },
    expected: { messages: says("user: a\n\nassistant: b") },
  },
  {
    format: "csv",
    name: "cells",
    row: { id: "a", input: "Why?", reference: "So.", user_id: "0012" },
    expected: { id: "a", reference: "So.", userId: "0012" },
  },
  { format: "csv", name: "empty cells", row: { id: "", input: "Why?", reference: "" }, expected: {} },
  {
    format: "openai-evals",
    name: "several right answers",
    row: { input: chat, ideal: ["So.", "Thus."] },
    expected: { messages: CHAT, reference: "So.\nThus." },
  },
  { format: "openai-evals", name: "no right answer", row: { input: "Why?", ideal: [] }, expected: {} },
  { format: "promptfoo", name: "the only text", row: { vars: { topic: "Why?" } }, expected: {} },
  {
    format: "promptfoo",
    name: "one of several texts",
    row: {
      vars: { tone: "kind", query: "Why?" },
      assert: [null, { type: "cost" }, { type: "similar", value: "So." }],
    },
    expected: { reference: "So." },
  },
  {
    format: "promptfoo",
    name: "messages",
    row: { vars: { messages: chat, tone: "kind" }, assert: "no list" },
    expected: { messages: CHAT },
  },
  {
    format: "inspect",
    name: "a sample",
    row: { id: 1, epoch: 1, input: "Why?", target: ["So."] },
    expected: { id: "1", reference: "So." },
  },
  {
    format: "langfuse",
    name: "an item",
    row: {
      id: "l",
      status: "ACTIVE",
      input: { messages: chat },
      expectedOutput: { role: "assistant", content: "So." },
    },
    expected: { id: "l", messages: CHAT, reference: "So." },
  },
  {
    format: "langfuse",
    name: "an answer that is an object",
    row: { input: "Why?", expected_output: { ok: [1] } },
    expected: { reference: '{"ok":[1]}' },
  },
  {
    format: "langfuse",
    name: "an answer without a text",
    row: { input: "Why?", expectedOutput: { role: "assistant" } },
    expected: { reference: '{"role":"assistant"}' },
  },
  {
    format: "langfuse",
    name: "an answer that is a number",
    row: { input: "Why?", expectedOutput: [4, "a"] },
    expected: { reference: '[4,"a"]' },
  },
])("$format: reads $name", ({ format, row, expected }) => {
  expect(readUploadRows(format, rowsOf(row))).toEqual({ items: [item(expected)], faults: [] });
});

test.each<{ format: UploadFormat; row: unknown; fault: RegExp }>([
  { format: "jsonl", row: 3, fault: /must be an object/ },
  { format: "jsonl", row: {}, fault: /`input` is missing/ },
  { format: "jsonl", row: { input: 3 }, fault: /`input` must be a string, or a list of messages/ },
  { format: "jsonl", row: { input: ["a", "b"] }, fault: /list of messages/ },
  {
    format: "jsonl",
    row: { input: { a: "x", b: "y" } },
    fault: /put its text under input, question, query, prompt, message or text\./,
  },
  { format: "jsonl", row: { input: { n: 1 } }, fault: /no user message/ },
  { format: "jsonl", row: { input: " " }, fault: /no user message with text/ },
  { format: "jsonl", row: { input: [{ role: "system", content: "x" }] }, fault: /no user message/ },
  {
    format: "jsonl",
    row: { input: "x".repeat(MAX_ITEM_CHARACTERS + 1) },
    fault: /input is longer than 100,000/,
  },
  {
    format: "jsonl",
    row: { input: "x", reference: "x".repeat(MAX_ITEM_CHARACTERS + 1) },
    fault: /reference is longer/,
  },
  { format: "jsonl", row: { input: "x", id: {} }, fault: /`id` must be a number, or a string/ },
  { format: "jsonl", row: { input: "x", id: "x".repeat(257) }, fault: /at most 256 characters/ },
  { format: "jsonl", row: { input: "x", user_id: "a\0b" }, fault: /`user_id` must be/ },
  { format: "jsonl", row: { input: "x", id: "\ud83e" }, fault: /`id` must be/ },
  { format: "promptfoo", row: { vars: "file://vars.yaml" }, fault: /`vars` must be an object/ },
  {
    format: "promptfoo",
    row: { vars: { input: "file://a.txt", b: "c" } },
    fault: /variable refers to a file/,
  },
])("$format: says what is wrong with $row", ({ format, row, fault }) => {
  const { items, faults } = readUploadRows(format, rowsOf({ input: "fine", vars: { a: "fine" } }, row));
  expect(items).toHaveLength(1);
  expect(faults).toEqual([{ row: 1, detail: expect.stringMatching(fault) }]);
});

test("takes texts and ids of the largest size", () => {
  const longest = "x".repeat(MAX_ITEM_CHARACTERS);
  const rows = rowsOf({ input: longest, reference: longest, id: "x".repeat(256) });
  expect(readUploadRows("jsonl", rows)).toMatchObject({ items: [{ reference: longest }], faults: [] });
});

test.each(["input", "question", "query", "prompt", "message", "text"])(
  "finds the user's message under the name %s",
  (name) => {
    const { items } = readUploadRows("jsonl", rowsOf({ input: { [name]: "Hi", context: "C" } }));
    expect(items).toMatchObject([{ messages: [{ role: "user", text: "Hi" }] }]);
  },
);

test.each<{ format: UploadFormat; rest: object; name: string }>([
  { format: "jsonl", rest: {}, name: "input" },
  { format: "openai-evals", rest: {}, name: "input" },
  { format: "inspect", rest: {}, name: "input" },
  { format: "langfuse", rest: {}, name: "input" },
  { format: "promptfoo", rest: { vars: [1] }, name: "vars" },
])("$format: names the member that is missing", ({ format, rest, name }) => {
  const { faults } = readUploadRows(format, rowsOf(rest));
  expect(faults).toEqual([{ row: 0, detail: expect.stringContaining(`\`${name}\``) }]);
});

test.each<UploadFormat>(["jsonl", "inspect", "langfuse"])("%s: names an id that cannot be one", (format) => {
  const { faults } = readUploadRows(format, rowsOf({ input: "x", id: {} }));
  expect(faults).toEqual([{ row: 0, detail: expect.stringContaining("`id` must be") }]);
});

test("leaves out what a format repeats or has put away", () => {
  const samples = rowsOf({ id: 1, epoch: 1, input: "a" }, { id: 1, epoch: 2, input: "a" });
  expect(readUploadRows("inspect", samples).items).toHaveLength(1);
  const items = rowsOf({ id: "1", status: "ARCHIVED", input: "a" }, { input: "b" });
  expect(readUploadRows("langfuse", items)).toMatchObject({ items: [{ id: "row-2" }], faults: [] });
});

test("refuses an id that is used twice, also one that was given", () => {
  const rows = rowsOf({ id: "row-2", input: "a" }, { input: "b" }, { id: "row-2", input: "c" });
  expect(readUploadRows("jsonl", rows).faults).toEqual([
    { row: 1, detail: 'The id "row-2" is used twice: give every input its own.' },
    { row: 2, detail: expect.any(String) },
  ]);
});

test("passes on what could not be parsed, and stops after the last fault that is listed", () => {
  let read = 0;
  function* rows() {
    for (; ; read++) yield { fault: `It is broken: ${read}.` };
  }
  const { faults } = readUploadRows("jsonl", rows());
  expect(faults).toHaveLength(MAX_UPLOAD_FAULTS);
  expect(faults[1]).toEqual({ row: 1, detail: "It is broken: 1." });
  expect(read).toBe(MAX_UPLOAD_FAULTS - 1);
});

test("stops after the most inputs that a dataset can have", () => {
  let read = 0;
  function* rows(count: number) {
    for (read = 0; read < count; read++) yield { value: { input: "x" } };
  }
  expect(readUploadRows("jsonl", rows(MAX_DATASET_ITEMS)).faults).toEqual([]);
  expect(readUploadRows("jsonl", rows(1e9)).faults).toEqual([
    { row: MAX_DATASET_ITEMS, detail: "A dataset has at most 10,000 inputs: remove some." },
  ]);
  expect(read).toBe(MAX_DATASET_ITEMS);
});

test("a fault of ours is not taken for one of the file", () => {
  const broken = {
    get input(): string {
      throw new TypeError("ours");
    },
  };
  expect(() => readUploadRows("jsonl", rowsOf(broken))).toThrow("ours");
});
