import { type Experiment, type ExperimentVersion, firstVersion } from "@assay/domain";
import { expect, test } from "vitest";
import { createKnownPeriods } from "./known-periods.ts";

const allocationOf = (treatment: number) => [
  { variant: "a", weight: 1 },
  { variant: "b", weight: treatment },
];
const versionOf = (version: number, treatment: number): ExperimentVersion => ({
  ...{ id: "e", orgId: "o", version, servedAt: null, createdAt: 0, updatedAt: version, isDemo: false },
  ...{ createdBy: "u" },
  ...firstVersion({
    ...{ name: "e", salt: "s", bucketCount: 100, metrics: [] },
    allocation: allocationOf(treatment),
  }),
});

test("versions are read again only with a new version, or after the experiment was forgotten", async () => {
  const versions = [versionOf(1, 1)];
  const asked: string[] = [];
  const periods = createKnownPeriods({
    async listVersions(orgId, id) {
      asked.push(`${orgId}/${id}`);
      return versions;
    },
  });
  const load = (of: Experiment) => periods.load(of);
  expect(await load(versions[0]!)).toEqual([{ startsAt: 1, shares: { a: 0.5, b: 0.5 } }]);
  await load(versions[0]!);
  expect(asked).toEqual(["o/e"]);

  versions.unshift(versionOf(2, 3));
  // Somebody else may have made it since the experiment was read.
  expect(await load(versions[1]!)).toHaveLength(1);
  expect(await load(versions[0]!)).toEqual([
    { startsAt: 1, shares: { a: 0.5, b: 0.5 } },
    { startsAt: 2, shares: { a: 0.25, b: 0.75 } },
  ]);
  await load(versions[0]!);
  expect(asked).toHaveLength(2);

  periods.keepOnly(new Set(["e"]));
  await load(versions[0]!);
  expect(asked).toHaveLength(2);
  periods.keepOnly(new Set(["other"]));
  await load(versions[0]!);
  expect(asked).toHaveLength(3);
});
