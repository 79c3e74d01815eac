import { expect, test } from "vitest";
import { guessFormat, isDocumentFormat, listIn, UPLOAD_FORMATS } from "./upload-format.ts";

const json = (value: unknown) => JSON.stringify(value, null, 2);

test.each([
  ["jsonl", '{"input": "a"}\n{"input": "b"}'],
  ["jsonl", ' \n{"input": "a"}'],
  ["openai-evals", '{"input": [], "ideal": "b"}\n'],
  ["csv", "input,reference\na,b"],
  ["csv", 'id, "input"\r\n1,a'],
  ["promptfoo", "- vars:\n    a: b"],
  ["promptfoo", "# mine\ntests:\n  - vars: {}"],
  ["promptfoo", "tests:\n  - vars: {}"],
  ["promptfoo", json({ tests: [] })],
  ["promptfoo", json([{ vars: {} }])],
  ["promptfoo", JSON.stringify({ tests: [] })],
  ["inspect", json({ version: 2, samples: [] })],
  ["inspect", JSON.stringify({ input: 1, samples: [] })],
  ["langfuse", json({ data: [{ expectedOutput: null }] })],
  ["langfuse", json([{ expected_output: null }])],
  ["langfuse", JSON.stringify([{ datasetId: "a", input: "b" }])],
  [null, json({ data: [{ input: "a" }] })],
  [null, json({ data: [] })],
  [null, json({ data: {} })],
  [null, json([{ input: "a" }])],
  [null, json([1])],
  [null, '{"text": "a"}\n'],
  [null, "7"],
  [null, "[1"],
  [null, '{"a": [\n'],
  [null, "PK\u0003\u0004"],
  [null, ""],
])("guesses %s of %j", (format, text) => {
  expect(guessFormat(text)).toBe(format);
});

test("a document is a list, or has one under the format's member", () => {
  expect(UPLOAD_FORMATS.filter(isDocumentFormat)).toEqual(["promptfoo", "inspect", "langfuse"]);
  expect(listIn("inspect", [1])).toEqual({ rows: [1], member: null });
  expect(listIn("inspect", { samples: [1] })).toEqual({ rows: [1], member: "samples" });
  expect(listIn("langfuse", { samples: [1] })).toMatch(/list, or an object with a list under `data`/);
  expect(listIn("promptfoo", "x")).toMatch(/`tests`/);
});
