import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type AssignableExperiment, assignVariant } from "./assign.ts";
import { bucketOf } from "./bucket.ts";
import { compileBuckets, type WireBuckets } from "./variant-at.ts";

interface WireExperiment {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly salt: string;
  readonly bucket_count: number;
  readonly buckets: WireBuckets;
  readonly variants: readonly { readonly key: string; readonly enabled?: boolean }[];
}

interface AssignCase {
  readonly name: string;
  readonly loaded: boolean;
  readonly experiment: string;
  readonly user_id?: string;
  readonly user_utf16?: readonly number[];
  readonly bucket: number | null;
  readonly variant: string | null;
}

interface AssignCount {
  readonly experiment: string;
  readonly expected: Readonly<Record<string, number>>;
  readonly expected_null: number;
}

const vectors = new URL("../../../vectors/assign.json", import.meta.url);
const { config, cases, counts } = JSON.parse(readFileSync(vectors, "utf8")) as {
  config: { experiments: WireExperiment[] };
  cases: AssignCase[];
  counts: AssignCount[];
};

/** Looks up an experiment as a client does: an id first, then a name. */
function findExperiment(reference: string): AssignableExperiment | undefined {
  const { experiments } = config;
  const wire =
    experiments.find(({ id }) => id === reference) ?? experiments.find(({ name }) => name === reference);
  return wire && { ...wire, bucketCount: wire.bucket_count, buckets: compileBuckets(wire.buckets) };
}

describe("assignVariant", () => {
  // Names, ids and a missing config are the caller's business.
  const assignable = cases.filter(({ loaded, bucket }) => loaded && bucket !== null);

  test.each(assignable)("vector: $name ($experiment)", (assignCase) => {
    const experiment = findExperiment(assignCase.experiment)!;
    const userId = assignCase.user_id ?? String.fromCharCode(...assignCase.user_utf16!);
    expect(bucketOf(experiment, userId)).toBe(assignCase.bucket);
    expect(assignVariant(experiment, userId)).toBe(assignCase.variant);
  });

  test.each(cases.filter(({ bucket }) => bucket === null))("vector: $name is in no config", (assignCase) => {
    expect(findExperiment(assignCase.experiment)).toBeUndefined();
    expect(assignCase.variant).toBeNull();
  });

  test.each(counts)("vector: 1,000 users of $experiment", ({ experiment, expected, expected_null }) => {
    const found = findExperiment(experiment)!;
    const answers = Array.from({ length: 1000 }, (_, i) => assignVariant(found, `user-${i}`));
    const actual = Object.keys(expected).map((key) => [
      key,
      answers.filter((answer) => answer === key).length,
    ]);
    expect(Object.fromEntries(actual)).toEqual(expected);
    expect(answers.filter((answer) => answer === null)).toHaveLength(expected_null);
  });

  test("returns null when the map names a variant that is not listed", () => {
    const buckets = compileBuckets([[10, 2]]);
    const experiment = {
      id: "e",
      status: "running",
      salt: "s",
      bucketCount: 10,
      buckets,
      variants: [{ key: "control" }],
    };
    expect(assignVariant(experiment, "user-1")).toBeNull();
  });
});
