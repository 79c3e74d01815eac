import { describe, expect, test } from "vitest";
import {
  assignmentsInWords,
  comparedVersions,
  newSeriesInWords,
  type Version,
  versionChanges,
} from "./version-changes.ts";

function version(number: number, change: Partial<Version> = {}): Version {
  return {
    id: "0190e5a0-0000-7000-8000-000000000000",
    name: "greeting",
    salt: "s",
    bucket_count: 1000,
    status: "running",
    allocation: [
      { variant: "control", weight: 1 },
      { variant: "b", weight: 1 },
    ],
    variants: [
      { key: "control", prompt: "Answer.", enabled: true },
      { key: "b", prompt: "Answer briefly.", enabled: true },
    ],
    metrics: [],
    version: number,
    created_at: "2026-11-01T00:00:00.000Z",
    updated_at: "2026-11-01T00:00:00.000Z",
    created_by: null,
    effective_allocation: { control: 0.5, b: 0.5 },
    holds: [],
    is_demo: false,
    ...change,
  };
}

const metric = {
  name: "cost",
  kind: "mean",
  category: "cost",
  method_default: "auto",
  metric_version: 1,
  shared_org_wide: false,
} as const;

const judged = { ...metric, name: "passes", kind: "ratio", category: "quality" } as const;

describe("versionChanges", () => {
  test.each([
    { name: "nothing", before: {}, after: {}, changes: [] },
    {
      name: "a field",
      before: { hypothesis: null },
      after: { hypothesis: "Shorter is better." },
      changes: [{ field: "hypothesis", from: null, to: "Shorter is better.", isLong: false }],
    },
    {
      name: "a holdback",
      before: { holdback: null },
      after: { holdback: { percent: 5, from: "2026-11-01T00:00:00.000Z", to: null } },
      changes: [expect.objectContaining({ field: "holdback", from: null })],
    },
    {
      name: "QA users",
      before: { qa_users: {} },
      after: { qa_users: { b: ["ann"] } },
      changes: [{ field: "QA users", from: "{}", to: '{\n  "b": [\n    "ann"\n  ]\n}', isLong: true }],
    },
    { name: "no difference between absent and null", before: { hypothesis: null }, after: {}, changes: [] },
    {
      name: "a variant's field alone",
      before: {},
      after: {
        variants: [
          { key: "control", prompt: "Answer.", enabled: true },
          { key: "b", prompt: "Brief.", enabled: true },
        ],
      },
      changes: [{ field: "variant b: prompt", from: "Answer briefly.", to: "Brief.", isLong: false }],
    },
    {
      name: "a metric's field by its name",
      before: { metrics: [metric] },
      after: { metrics: [{ ...metric, metric_version: 2 }] },
      changes: [{ field: "metric cost: metric version", from: "1", to: "2", isLong: false }],
    },
    {
      name: "of a judge what changed alone",
      before: { metrics: [{ ...judged, judge: { rubric: "Old.", scale: "1-5", sample_rate: 0.1 } }] },
      after: { metrics: [{ ...judged, judge: { rubric: "New.", scale: "1-5", sample_rate: 0.2 } }] },
      changes: [
        { field: "metric passes: judge's rubric", from: "Old.", to: "New.", isLong: false },
        { field: "metric passes: judge's sample rate", from: "0.1", to: "0.2", isLong: false },
      ],
    },
  ] satisfies { name: string; before: Partial<Version>; after: Partial<Version>; changes: unknown[] }[])(
    "lists $name",
    ({ before, after, changes }) =>
      expect(versionChanges(version(1, before), version(2, after))).toEqual(changes),
  );

  test("lists a variant that came as one change", () => {
    const { variants = [] } = version(1);
    const after = version(2, { variants: [...variants, { key: "my_new", enabled: true }] });
    expect(versionChanges(version(1), after)).toEqual([
      { field: "variant my_new", from: null, to: expect.stringContaining("my_new"), isLong: true },
    ]);
  });
});

describe("assignmentsInWords", () => {
  test.each([
    { change: {}, users: 18204, words: "Assignments unchanged: 18,204\u00a0users kept their variant." },
    { change: {}, users: 1, words: "Assignments unchanged: 1\u00a0user kept their variant." },
    { change: {}, users: 0, words: "Assignments unchanged: no users yet." },
    {
      change: { status: "stopped" },
      users: 5,
      words: "Stopped: Assay no longer gives anybody a variant.",
    },
    { change: { status: "draft" }, users: 0, words: "Draft: no users are assigned yet." },
    {
      change: { status: "archived" },
      users: 5,
      words: "Archived: Assay gives nobody a variant.",
    },
  ] as const)("says: $words", ({ change, users, words }) =>
    expect(assignmentsInWords(version(2, change), users)).toBe(words),
  );
});

describe("comparedVersions", () => {
  const versions = [version(3), version(2), version(1)];
  test.each([
    { search: {}, pair: [2, 3] },
    { search: { to: "2" }, pair: [1, 2] },
    { search: { from: "1", to: "3" }, pair: [1, 3] },
    { search: { from: "99", to: "x" }, pair: [2, 3] },
    { search: { to: "1" }, pair: [1, 1] },
  ])("reads $search as $pair", ({ search, pair }) =>
    expect(comparedVersions(versions, search)?.map((compared) => compared.version)).toEqual(pair),
  );

  test("finds nothing to compare without versions", () => expect(comparedVersions([], {})).toBeNull());
});

test.each<[string, Partial<Version["metrics"][number]>, readonly RegExp[]]>([
  ["nothing changed", {}, []],
  ["the margin alone changed", { margin: 1 }, []],
  ["it has another meaning", { metric_version: 2, judge: { rubric: "New." } }, [/1 → 2\): it measures/]],
  ["its judge is another model", { metric_version: 2 }, [/^passes starts .* judge model changed/]],
])("newSeriesInWords: %s", (_, change, says) => {
  const [before, after] = [
    version(1, { metrics: [judged] }),
    version(2, { metrics: [{ ...judged, ...change }] }),
  ];
  const sentences = newSeriesInWords(before, after);
  expect(sentences).toHaveLength(says.length);
  for (const [index, words] of says.entries()) expect(sentences[index]).toMatch(words);
});
