import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { FEBRUARY, JANUARY, NO_USAGE, newOrg } from "./fixtures.ts";

export function usageContract(engine: () => Engine): void {
  describe("usage", () => {
    test("keeps the highest event count per month and org", async () => {
      const [first, second] = engine().planes;
      const [orgId, other] = [await newOrg(first), await newOrg(first)];
      const beyondInt32 = 3_000_000_000;
      await Promise.all(
        [5, beyondInt32, 7].map((events, i) =>
          [first, second][i % 2]!.usage.putEvents({ orgId, month: JANUARY, events }),
        ),
      );
      await first.usage.putEvents({ orgId, month: JANUARY, events: 6 });
      expect(await second.usage.get(orgId, JANUARY)).toEqual({ events: beyondInt32, judgeEvaluations: 0 });
      expect(await second.usage.get(orgId, FEBRUARY)).toEqual(NO_USAGE);
      expect(await second.usage.get(other, JANUARY)).toEqual(NO_USAGE);
    });

    test("keeps the judge's evaluations when events are counted", async () => {
      const { planes, execute } = engine();
      const [{ usage }] = planes;
      const orgId = await newOrg(planes[0]);
      await execute(
        `insert into usage (org_id, month, events, judge_evaluations) values ('${orgId}', '${JANUARY}', 1, 5000000000)`,
      );
      await usage.putEvents({ orgId, month: JANUARY, events: 2 });
      expect(await usage.get(orgId, JANUARY)).toEqual({ events: 2, judgeEvaluations: 5_000_000_000 });
    });
  });
}
