import { murmur3 } from "@assay/bucketing";
import { expect, test } from "vitest";
import { DIALECTS } from "./dialects.ts";

// Stored calls say by which table they were read: raise the version of a table that you change, and write its digest here.
test("a dialect's version grows with its table", () => {
  const found = DIALECTS.map(({ name, version, ...table }) => [
    `${name}/${version}`,
    murmur3(JSON.stringify(table), 0).toString(16),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    "ai-sdk/2": "9e69ba2a",
    "langfuse/3": "84e43f13",
    "openinference/3": "587b3e87",
    "openllmetry/3": "9b61d142",
    "opentelemetry-1.36/3": "46b06c5b",
    "opentelemetry-1.37/3": "1d562712",
    "opentelemetry-newest/3": "8ca4a339",
  });
});
