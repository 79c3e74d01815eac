import { readFileSync } from "node:fs";
import { assignVariant, compileBuckets, type WireBuckets } from "@assay/bucketing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BucketMap,
  type DealInput,
  dealBuckets,
  effectiveAllocation,
  toWireBuckets,
} from "./bucket-map.ts";

interface StickyCase {
  readonly name: string;
  readonly experiment: { readonly id: string; readonly salt: string; readonly bucket_count: number };
  readonly versions: readonly {
    readonly claimed: "all-allocated" | readonly number[];
    readonly allocation: DealInput["weights"];
    readonly coverage: number;
    readonly variants: readonly { readonly key: string }[];
    readonly buckets: WireBuckets;
  }[];
  readonly users: readonly { readonly user_id: string; readonly variants: readonly (string | null)[] }[];
}

const vectors = new URL("../../../../vectors/sticky.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, "utf8")) as { cases: StickyCase[] };

const even = [
  { variant: "control", weight: 1 },
  { variant: "treatment", weight: 1 },
];

/** The owner of every bucket, one by one. */
function ownersOf(map: BucketMap): (string | null)[] {
  return map.flatMap(({ start, end, variant }) => new Array<string | null>(end - start).fill(variant));
}

describe("sticky vectors", () => {
  test.each(cases)("$name", ({ experiment, versions, users }) => {
    let current: BucketMap | null = null;
    for (const [number, version] of versions.entries()) {
      const { claimed, allocation: weights, coverage, variants } = version;
      current = dealBuckets({ bucketCount: experiment.bucket_count, current, claimed, weights, coverage });
      const wire = toWireBuckets(
        current,
        variants.map(({ key }) => key),
      );
      expect(wire).toEqual(version.buckets);
      const assignable = {
        ...experiment,
        status: "running",
        bucketCount: experiment.bucket_count,
        buckets: compileBuckets(wire),
        variants,
      };
      const assigned = users.map(({ user_id }) => assignVariant(assignable, user_id));
      expect(assigned).toEqual(users.map((user) => user.variants[number]));
    }
  });
});

describe("dealBuckets", () => {
  test("deals a new experiment one run per variant, in the order of the weights", () => {
    const map = dealBuckets({ bucketCount: 1000, current: null, claimed: [], weights: even, coverage: 1 });
    expect(map).toEqual([
      { start: 0, end: 500, variant: "control" },
      { start: 500, end: 1000, variant: "treatment" },
    ]);
  });

  test("ignores claims outside the experiment's buckets", () => {
    const current: BucketMap = [{ start: 0, end: 10, variant: "control" }];
    const claimed = [-1, 10, 4.5, Number.NaN];
    const map = dealBuckets({ bucketCount: 10, current, claimed, weights: even, coverage: 1 });
    expect(effectiveAllocation(map)).toEqual({ control: 0.5, treatment: 0.5 });
  });

  test("deals a million buckets around a thousand scattered claims", () => {
    const deal = { bucketCount: 1_000_000, weights: even, coverage: 1 };
    const current = dealBuckets({ ...deal, current: null, claimed: [] });
    const claimed = Array.from({ length: 1000 }, (_, i) => i * 997);
    const weights = [...even, { variant: "third", weight: 2 }];
    const map = dealBuckets({ ...deal, current, claimed, weights });
    expect(effectiveAllocation(map)).toEqual({ control: 0.25, treatment: 0.25, third: 0.5 });
  });
});

interface Edit {
  readonly weights: DealInput["weights"];
  readonly coverage: number;
  readonly claims: readonly number[];
  readonly served: boolean;
}

const anEdit: fc.Arbitrary<Edit> = fc.record({
  weights: fc
    .uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 2, maxLength: 5 })
    .chain((variants) =>
      fc.tuple(...variants.map((variant) => fc.record({ variant: fc.constant(variant), weight: fc.nat(5) }))),
    )
    .filter((weights) => weights.some(({ weight }) => weight > 0)),
  coverage: fc.oneof(fc.constantFrom(0, 0.1, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  claims: fc.array(fc.nat(70), { maxLength: 12 }),
  served: fc.boolean(),
});

/** Applies the edits one by one and returns each step: the claimed buckets, the map before and the map after. */
function replay(bucketCount: number, edits: readonly Edit[]) {
  let current: BucketMap | null = null;
  const claims = new Set<number>();
  return edits.map(({ weights, coverage, claims: newClaims, served }) => {
    const before = current === null ? new Array<null>(bucketCount).fill(null) : ownersOf(current);
    const owned = [...before.keys()].filter((bucket) => before[bucket] !== null);
    for (const bucket of served ? owned : newClaims) if (before[bucket]) claims.add(bucket);
    const claimed = served ? ("all-allocated" as const) : [...claims];
    const input: DealInput = { bucketCount, current, claimed, weights, coverage };
    current = dealBuckets(input);
    return { input, before, claims: new Set(claims), map: current, after: ownersOf(current) };
  });
}

type Step = ReturnType<typeof replay>[number];

describe("any history of edits", () => {
  const forEveryStep = (check: (step: Step) => void) =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.array(anEdit, { minLength: 1, maxLength: 6 }),
        (n, edits) => {
          replay(n, edits).forEach(check);
        },
      ),
      { numRuns: 300 },
    );

  test("never moves a claimed bucket", () => {
    forEveryStep(({ before, after, claims }) => {
      for (const bucket of claims) expect(after[bucket]).toBe(before[bucket]);
    });
  });

  test("covers every bucket by runs in order, neighbours of different owners", () => {
    forEveryStep(({ input, map }) => {
      expect(map[0]!.start).toBe(0);
      expect(map.at(-1)!.end).toBe(input.bucketCount);
      for (const [i, run] of map.entries()) {
        expect(run.end).toBeGreaterThan(run.start);
        if (i > 0) expect(run.start).toBe(map[i - 1]!.end);
        if (i > 0) expect(run.variant).not.toBe(map[i - 1]!.variant);
      }
    });
  });

  test("allocates the covered share, or what is claimed if that is more", () => {
    forEveryStep(({ input, claims, after }) => {
      const covered = Math.round(input.coverage * input.bucketCount);
      expect(after.filter((owner) => owner !== null)).toHaveLength(Math.max(claims.size, covered));
    });
  });

  test("gives new buckets to weighted variants only", () => {
    forEveryStep(({ input, claims, after }) => {
      const weighted = input.weights.filter(({ weight }) => weight > 0).map(({ variant }) => variant);
      const dealt = after.filter((owner, bucket) => owner !== null && !claims.has(bucket));
      expect(weighted).toEqual(expect.arrayContaining(dealt));
    });
  });

  test("leaves each free bucket with its owner as long as that owner needs one", () => {
    forEveryStep(({ input, before, after, claims }) => {
      for (const { variant } of input.weights) {
        const freeOf = (owners: readonly (string | null)[]) =>
          owners.flatMap((owner, bucket) => (owner === variant && !claims.has(bucket) ? bucket : []));
        const kept = freeOf(before).filter((bucket) => after[bucket] === variant);
        expect(kept).toHaveLength(Math.min(freeOf(before).length, freeOf(after).length));
      }
    });
  });

  test("gives the same map for the same input", () => {
    forEveryStep(({ input, map }) => expect(dealBuckets(input)).toEqual(map));
  });
});

describe("effectiveAllocation", () => {
  test("gives each owner its share of all buckets, over all its runs", () => {
    const map: BucketMap = [
      { start: 0, end: 1, variant: "control" },
      { start: 1, end: 3, variant: "__proto__" },
      { start: 3, end: 4, variant: "control" },
      { start: 4, end: 8, variant: null },
    ];
    expect(Object.entries(effectiveAllocation(map))).toEqual([
      ["control", 0.25],
      ["__proto__", 0.25],
    ]);
  });

  test("is empty for an empty map", () => expect(effectiveAllocation([])).toEqual({}));
});

describe("toWireBuckets", () => {
  const map: BucketMap = [
    { start: 0, end: 3, variant: "treatment" },
    { start: 3, end: 5, variant: null },
    { start: 5, end: 10, variant: "control" },
  ];

  test("writes each owner as its index among the variants, and no owner as -1", () => {
    expect(toWireBuckets(map, ["control", "treatment"])).toEqual([
      [3, 1],
      [5, -1],
      [10, 0],
    ]);
  });

  test("refuses a map whose owner is not among the variants", () => {
    expect(() => toWireBuckets(map, ["control"])).toThrow(
      "Variant treatment owns buckets but is not listed.",
    );
  });
});
