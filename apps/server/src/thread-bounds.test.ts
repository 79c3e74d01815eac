import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { documented } from "../../../tests/documented.ts";

test.each([
  { file: "pipeline/pipeline-threads.ts", row: "an analysis thread" },
  { file: "datasets/input-thread.ts", row: "a thread that reads the inputs of a dataset" },
  { file: "otlp/decode-thread.ts", row: "a thread that reads telemetry" },
  { file: "import/reader-thread.ts", row: "a thread that reads an import" },
])("the heap of $row has the documented bound", ({ file, row }) => {
  const source = readFileSync(join(import.meta.dirname, file), "utf8");
  const bound = Number(/maxOldGenerationSizeMb: (\d+)/.exec(source)?.[1]);
  expect(bound).toBe(documented("operations.md", new RegExp(`\\| ${row}[^|]*\\| ([\\d,]+) MiB`)));
});
