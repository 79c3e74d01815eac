import { GUARD_GROUPS } from "@assay/domain";
import { evidenceThreshold, MAX_GROUP_WEIGHT, TUNED_TO } from "@assay/pipeline";
import { alwaysValid, oneSidedEvidence } from "@assay/stats";
import { expect, test } from "vitest";
import { createDraw } from "../random/draw.ts";
import { heldWithoutHarm } from "./guard-rollout.ts";
import { createSizes } from "./running-arm.ts";

const THRESHOLD = evidenceThreshold({ treatments: 1, signals: 7, starts: 1 });

test("sums that are kept while calls come give the evidence of the guard's own looks", () => {
  let compared = 0;
  for (let k = 0; k < 3; k++) {
    let minute = 0;
    heldWithoutHarm(createDraw(`guard-rollout-test#${k}`), {
      minutes: 900,
      observe(scores, look) {
        minute += 1;
        if (minute % 20 !== 0) return;
        for (const [i, { signal, evidence, events }] of look().entries()) {
          if (evidence === null) continue;
          const { z, events: n } = scores[i]!;
          const found = { effect: z, standardError: 1, n, expectedUsers: TUNED_TO };
          const own = signal === "split" ? alwaysValid(found).logEvidence : oneSidedEvidence(found);
          expect(n, signal).toBe(events);
          expect(evidence, `${signal} at ${minute}`).toBeCloseTo(Math.max(0, own / THRESHOLD), 9);
          compared += 1;
        }
      },
    });
  }
  expect(compared).toBeGreaterThan(200);
});

test("the middle of groups that grow is that of the sorted ones", () => {
  const draw = createDraw("sizes");
  const sizes = createSizes();
  for (let i = 0; i < 20_000; i++) {
    sizes.grow(draw.chance(0.2) ? draw.below(3) : draw.below(GUARD_GROUPS));
    if (i % 97 !== 0) continue;
    const sorted = sizes.sizes.filter((size) => size > 0).sort();
    const most = MAX_GROUP_WEIGHT * sorted[sorted.length >> 1]!;
    expect([sizes.inUse(), sizes.most()]).toEqual([sorted.length, most]);
    const larger = [...sizes.sizes.keys()].filter((group) => sizes.sizes[group]! > most);
    expect([...sizes.over()].sort((a, b) => a - b)).toEqual(larger);
  }
});
