import { describe, expect, test } from "vitest";
import { assignAt } from "../attribution/attribute.ts";
import { compileTimeline } from "../attribution/timeline.ts";
import { faultTexts } from "../test-support/faults.ts";
import { userSubject } from "../test-support/user-subject.ts";
import { allocationPeriods, shareOfUsers } from "./allocation-periods.ts";
import type { Experiment } from "./config.ts";
import type { ConfigInput } from "./make-config.ts";
import { firstVersion, nextVersion } from "./next-version.ts";

const input: ConfigInput = {
  ...{ name: "n", salt: "s", bucketCount: 100, metrics: [] },
  allocation: [
    { variant: "off", weight: 3 },
    { variant: "on", weight: 1 },
  ],
  ...{ assignment: "external", flagKey: "tone" },
};
const stored = (change: Partial<ConfigInput> = {}): Experiment => ({
  ...{ id: "exp", orgId: "org", version: 1, servedAt: null, createdAt: 0, updatedAt: 0, isDemo: false },
  ...firstVersion({ ...input, ...change }),
});

describe("an experiment on another system's flag", () => {
  test("owns no bucket and gives nobody a variant, and its arms have the shares of the weights", () => {
    const experiment = stored();
    expect(experiment.bucketMap).toEqual([{ start: 0, end: 100, variant: null }]);
    const assigned = assignAt(compileTimeline([experiment]), userSubject("ann"), 1);
    expect(assigned).toEqual({ variant: null, owner: null, reason: "uncovered" });
    expect(shareOfUsers(experiment)).toEqual({ off: 0.75, on: 0.25 });
    expect(allocationPeriods([experiment])).toEqual([{ startsAt: 0, shares: { off: 0.75, on: 0.25 } }]);
  });

  test("has no flag by default, and then the shares of its buckets", () => {
    const experiment = stored({ flagKey: null, coverage: 0.4 });
    expect(experiment.config.flagKey).toBeNull();
    expect(shareOfUsers(experiment)).toEqual({ off: 0.3, on: 0.1 });
  });

  test.each([
    { change: { assignment: "assay" }, pointer: "/flag_key", detail: '"assignment": "external"' },
    { change: { qaUsers: { on: ["ann"] } }, pointer: "/qa_users", detail: "list QA users there" },
  ] as const)("is refused with $change", ({ change, pointer, detail }) => {
    const [fault, ...others] = faultTexts(() => firstVersion({ ...input, ...change }));
    expect([fault?.startsWith(`${pointer} `), fault?.includes(detail), others]).toEqual([true, true, []]);
  });

  test("is not shipped here", () => {
    const faults = faultTexts(() =>
      nextVersion(stored(), { status: "shipped", shippedVariant: "on" }, new Set()),
    );
    expect(faults).toEqual([
      '/status The flag "tone" gives users their variants: ship the variant there, and stop this experiment with a decision.',
    ]);
  });

  test("keeps its flag once it has started; a draft may change it, and deals its buckets anew", () => {
    const change = (experiment: Experiment, flagKey: string | null) =>
      nextVersion(experiment, { flagKey }, new Set());
    const frozen = "/flag_key The flag key is frozen once the experiment has started:";
    expect(faultTexts(() => change(stored(), "other"))).toEqual([`${frozen} leave it out or send "tone".`]);
    expect(faultTexts(() => change(stored({ flagKey: null }), "tone"))).toEqual([`${frozen} leave it out.`]);
    expect(faultTexts(() => nextVersion(stored(), { status: "draft" }, new Set()))).toEqual([
      '/status An experiment on a flag ("tone") cannot become a draft again: set the status to "stopped".',
    ]);
    expect(nextVersion(stored({ flagKey: null }), { status: "draft" }, new Set()).config.status).toBe(
      "draft",
    );
    expect(change(stored(), "tone").config.flagKey).toBe("tone");
    expect(nextVersion(stored(), { description: "d" }, new Set()).config.flagKey).toBe("tone");
    const draft = stored({ status: "draft", flagKey: null });
    const used = [
      () => change({ ...draft, servedAt: 1 }, "tone"),
      () => nextVersion(draft, { flagKey: "tone" }, new Set([5])),
    ];
    for (const run of used) expect(faultTexts(run)).toEqual([`${frozen} leave it out.`]);
    const flagged = change(draft, "tone");
    expect(flagged.bucketMap).toEqual([{ start: 0, end: 100, variant: null }]);
    const back = change({ ...draft, ...flagged }, null);
    expect([back.config.flagKey, shareOfUsers(back)]).toEqual([null, { off: 0.75, on: 0.25 }]);
  });
});
