import { type ArmSnapshot, firstVersion } from "@assay/domain";
import { analyze, type RunFrame } from "@assay/pipeline";
import { afterAll, expect, test } from "vitest";
import { createAnalysisThread } from "./analysis-thread.ts";

const thread = createAnalysisThread();
afterAll(() => thread.close());

/** Two periods of many small arms: the gate simulates, which takes a good part of a second. */
function slowRun(): { frame: RunFrame; snapshot: ArmSnapshot } {
  const arms = Array.from({ length: 20 }, (_, index) => `arm-${index}`);
  const allocation = arms.map((variant) => ({ variant, weight: 1 }));
  const content = firstVersion({ name: "e", salt: "s", bucketCount: 1000, allocation, metrics: [] });
  const experiment = { id: "x", orgId: "o", version: 1, servedAt: 1, createdAt: 0, updatedAt: 0, ...content };
  const shares = (first: number) =>
    Object.fromEntries(arms.map((arm, index) => [arm, index === 0 ? first : (1 - first) / 19]));
  const periods = [
    { startsAt: 0, shares: shares(0.05) },
    { startsAt: 1, shares: shares(0.2) },
  ];
  const counts = { users: 4, testUsers: 0, contaminatedUsers: 0 };
  const exposures = [0, 1].flatMap((period) => arms.map((arm) => ({ arm, period, ...counts })));
  const rest = { metrics: [], droppedPreExposure: 0, variantConflicts: 0, firstExposureAt: 0 };
  return {
    frame: { experiment, periods, label: { kind: "manual", at: 9 }, until: 9, computedAt: 9 },
    snapshot: { exposures, ...rest },
  };
}

test("gives what the pure function gives, and lets the event loop run meanwhile", async () => {
  const { frame, snapshot } = slowRun();
  let turns = 0;
  let isCounting = true;
  const count = () => {
    turns += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const results = await thread.analyze(frame, snapshot);
  isCounting = false;
  expect(results).toEqual(analyze(frame, snapshot));
  expect(turns).toBeGreaterThan(10);
});

test("answers every one of many calls with its own result", async () => {
  const { frame, snapshot } = slowRun();
  const quick = { ...snapshot, exposures: [] };
  const answers = await Promise.all(
    [1, 2, 3].map((computedAt) => thread.analyze({ ...frame, computedAt }, quick)),
  );
  expect(answers.map(({ computedAt }) => computedAt)).toEqual([1, 2, 3]);
});

test("a run that breaks the thread fails, and the next one starts another", async () => {
  const { frame, snapshot } = slowRun();
  const broken = { ...snapshot, exposures: null } as unknown as ArmSnapshot;
  await expect(thread.analyze(frame, broken)).rejects.toThrow();
  expect((await thread.analyze(frame, { ...snapshot, exposures: [] })).srm.status).toBe("passed");
});

test("a call while the thread ends is answered by the next one; what still waited fails", async () => {
  const { frame, snapshot } = slowRun();
  const cut = expect(thread.analyze(frame, snapshot)).rejects.toThrow("ended");
  const ending = thread.close();
  const answer = thread.analyze(frame, { ...snapshot, exposures: [] });
  await Promise.all([cut, ending]);
  expect((await answer).srm.status).toBe("passed");
});
