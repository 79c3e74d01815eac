import { globSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { documentedRow } from "../../tests/documented.ts";
import { LEFT_OUT, NIGHT_FILES, NIGHT_SUITES } from "./night-suites.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) });

test.each(NIGHT_FILES)("%s are test files", (pattern) => {
  const files = filesOf(pattern);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(file).toMatch(/\.test\.ts$/);
});

test.each(NIGHT_SUITES)(
  "$what: docs/testing.md and the end of npm test say so",
  ({ what, files, onPush }) => {
    expect(documentedRow("testing.md", what)[2]).toBe(onPush);
    expect(LEFT_OUT).toContain([what, ...files].join("  "));
  },
);

/** Where a push must fail for a fault. */
const ROOMS = [
  ...["apps/cli", "apps/dashboard", "apps/server", "clients/openfeature", "clients/react"],
  ...[
    "clients/typescript",
    "packages/bucketing",
    "packages/contract",
    "packages/domain",
    "packages/pipeline",
  ],
  ...[
    "packages/stats",
    "packages/storage",
    "simulation",
    "tests/attacks",
    "tests/e2e",
    "tests/e2e/dashboard",
  ],
];

test.each(ROOMS)("%s keeps suites that every push runs", (room) => {
  const atNight = new Set(NIGHT_FILES.flatMap(filesOf));
  expect(filesOf(`${room}/**/*.test.ts`).some((file) => !atNight.has(file))).toBe(true);
});
