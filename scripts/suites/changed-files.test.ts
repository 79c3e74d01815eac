import { expect, test } from "vitest";
import { touchedSuites } from "./changed-files.ts";

test.each([
  { files: [], python: false, java: false },
  { files: ["packages/stats/src/fdr.ts", "clients/typescript/src/client.ts"], python: false, java: false },
  { files: ["clients/python/src/assay/_delivery.py"], python: true, java: false },
  { files: ["README.md", "clients/java/pom.xml"], python: false, java: true },
  { files: ["vectors/retry.json"], python: true, java: true },
  { files: ["clients/scenario-server/src/play.ts"], python: true, java: true },
])("$files touch the suites of python: $python, java: $java", ({ files, python, java }) => {
  expect(touchedSuites(files)).toEqual({ python, java });
});
