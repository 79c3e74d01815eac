import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { BucketMap } from "../allocation/bucket-map.ts";
import { assignAt, attributeExposure } from "../attribution/attribute.ts";
import { compileTimeline } from "../attribution/timeline.ts";
import { faultTexts } from "../test-support/faults.ts";
import { userSubject } from "../test-support/user-subject.ts";
import { type ConfigInput, mergeConfig } from "./make-config.ts";
import { firstVersion, nextVersion } from "./next-version.ts";
import { MAX_QA_USERS, qaDigests, qaExclusions } from "./qa-users.ts";

const input: ConfigInput = {
  ...{ name: "e", salt: "s", bucketCount: 100, metrics: [] },
  allocation: ["control", "short"].map((variant) => ({ variant, weight: 1 })),
  variants: [{ key: "control" }, { key: "short" }, { key: "off", enabled: false }, { key: "a/b~c" }],
};
const base = { orgId: "o", version: 1, servedAt: null, isDemo: false, createdAt: 0, updatedAt: 0 };
const experimentOf = (qaUsers: ConfigInput["qaUsers"]) => ({
  ...{ ...base, id: "e1" },
  ...firstVersion({ ...input, qaUsers }),
});
const many = (count: number, prefix = "u") => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe("a list of QA users", () => {
  test.each<{ qaUsers: ConfigInput["qaUsers"]; faults: readonly string[] }>([
    { qaUsers: {}, faults: [] },
    { qaUsers: { control: [], short: ["a"], off: ["b"], "a/b~c": ["c"] }, faults: [] },
    { qaUsers: { control: many(MAX_QA_USERS - 1), short: ["a"] }, faults: [] },
    {
      qaUsers: { control: many(MAX_QA_USERS), short: ["a"] },
      faults: [
        "/qa_users An experiment has at most 100 QA users over all variants. For a larger group, run an experiment of its own.",
      ],
    },
    {
      qaUsers: { other: ["a"] },
      faults: ['/qa_users/other "other" is not one of the variants: control, short, off, a/b~c.'],
    },
    {
      qaUsers: { control: ["a", "b"], "a/b~c": ["c", "a"] },
      faults: ['/qa_users/a~1b~0c/1 "a" is listed twice, here and under "control": a user gets one variant.'],
    },
    {
      qaUsers: { short: ["a", "a"] },
      faults: ['/qa_users/short/1 "a" is listed twice, here and under "short": a user gets one variant.'],
    },
  ])("$qaUsers: $faults", ({ qaUsers, faults }) =>
    expect(faultTexts(() => experimentOf(qaUsers))).toEqual(faults),
  );

  test("survives other changes, is replaced as a whole, and moves no bucket", () => {
    const first = experimentOf({ short: ["a"] });
    const changed = (change: Partial<ConfigInput>) => nextVersion(first, change, new Set());
    expect(changed({ description: "d" }).config.qaUsers).toEqual({ short: ["a"] });
    const { config, bucketMap } = changed({ qaUsers: { off: ["b"] } });
    expect([config.qaUsers, bucketMap]).toEqual([{ off: ["b"] }, first.bucketMap]);
    expect(qaExclusions(changed({ qaUsers: {} }).config)).toEqual([]);
  });

  test("must not name a removed variant", () => {
    const first = experimentOf({ off: ["a"] });
    const variants = [{ key: "control" }, { key: "short" }];
    expect(faultTexts(() => nextVersion(first, { variants }, new Set()))).toEqual([
      '/qa_users/off "off" is not one of the variants: control, short.',
    ]);
  });
});

interface Vectors {
  readonly lists: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly config: { readonly experiments: readonly Entry[] };
  readonly cases: readonly {
    readonly name: string;
    readonly overrides: Readonly<Record<string, string>>;
    readonly experiment: string;
    readonly user_id: string;
    readonly variant: string | null;
  }[];
}
interface Entry {
  readonly id: string;
  readonly name: string;
  readonly salt: string;
  readonly bucket_count: number;
  readonly buckets: readonly (readonly [number, number])[];
  readonly variants: readonly { readonly key: string; readonly enabled: boolean }[];
  readonly qa_users: Readonly<Record<string, number>>;
}
const vectors = JSON.parse(
  readFileSync(new URL("../../../../vectors/qa-users.json", import.meta.url), "utf8"),
) as Vectors;

/** An experiment as the service has it. */
function storedAs({ id, name, salt, bucket_count, buckets, variants }: Entry) {
  const content = firstVersion({
    ...{ name, salt, bucketCount: bucket_count, metrics: [], qaUsers: vectors.lists[name]! },
    allocation: variants.slice(0, 2).map(({ key }) => ({ variant: key, weight: 1 })),
    variants,
  });
  const bucketMap: BucketMap = buckets.map(([end, index]) => ({
    ...{ start: 0, end, variant: variants[index]?.key ?? null },
  }));
  return { ...base, id, config: content.config, bucketMap };
}

describe.each(Object.keys(vectors.lists))("qa-users.json: the service, of %s,", (name) => {
  const entry = vectors.config.experiments.find((one) => one.name === name)!;
  const stored = storedAs(entry);
  const cases = vectors.cases.filter(
    ({ experiment, overrides }) => experiment === name && Object.keys(overrides).length === 0,
  );

  test("maps digests to the indices of the variants", () =>
    expect(qaDigests(stored)).toEqual(entry.qa_users));

  test.each(cases)("assigns as clients do: $name", ({ user_id, variant }) => {
    const timeline = compileTimeline([stored]);
    const assigned = assignAt(timeline, userSubject(user_id), 1);
    const isListed = Object.values(vectors.lists[name]!).flat().includes(user_id);
    expect(assigned.variant).toBe(variant);
    expect(assigned.reason === "qa").toBe(isListed);
    // Clients of the previous version report the bucket's variant, and some events name no variant.
    for (const named of ["control", null])
      expect(attributeExposure(timeline, { userId: user_id, at: 1, variant: named }).reason === "qa").toBe(
        isListed,
      );
  });
});

test("a QA user counts from the version that lists the user to the first that does not, and only while the experiment runs", () => {
  const listed = { short: ["a"] };
  const at = (updatedAt: number, change: Partial<ConfigInput>) => ({
    ...{ ...experimentOf({}), updatedAt },
    config: mergeConfig(experimentOf({}).config, change),
  });
  const timeline = compileTimeline([
    at(1_000, {}),
    at(2_000, { qaUsers: listed }),
    at(3_000, { qaUsers: listed, status: "stopped" }),
    at(4_000, { qaUsers: listed, status: "shipped", shippedVariant: "control" }),
    at(5_000, { qaUsers: {} }),
  ]);
  const reasons = [1_000, 2_000, 2_999, 3_000, 4_000, 5_000].map((when) => {
    const { variant, reason } = assignAt(timeline, userSubject("a"), when);
    return [variant === "short" && reason === "qa", reason];
  });
  expect(reasons).toEqual([
    [false, null],
    [true, "qa"],
    [true, "qa"],
    [false, "stopped"],
    [false, "shipped"],
    [false, null],
  ]);
});
