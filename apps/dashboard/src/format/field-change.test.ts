import { expect, test } from "vitest";
import { fieldChanges } from "./field-change.ts";

test.each([
  { name: "no diff is no change", diff: null, changes: [] },
  {
    name: "a field before and after",
    diff: { bucket_count: { from: 10, to: 20 } },
    changes: [{ field: "bucket count", from: "10", to: "20", isLong: false }],
  },
  {
    name: "what was not there before",
    diff: { role: { from: null, to: "admin" } },
    changes: [{ field: "role", from: null, to: "admin", isLong: false }],
  },
  {
    name: "objects as indented JSON",
    diff: { variants: { from: [], to: [{ key: "a" }] } },
    changes: [{ field: "variants", from: "[]", to: '[\n  {\n    "key": "a"\n  }\n]', isLong: true }],
  },
  {
    name: "a value that is no pair as what it is now",
    diff: { plan: "pro" },
    changes: [{ field: "plan", from: null, to: "pro", isLong: false }],
  },
])("fieldChanges reads $name", ({ diff, changes }) => expect(fieldChanges(diff)).toEqual(changes));
