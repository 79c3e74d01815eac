import type { Pick as AnswerPick } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newExperiment, newOrg } from "./fixtures.ts";

export function pickContract(engine: () => Engine): void {
  const pickOf = (
    { orgId, id: experimentId }: { readonly orgId: string; readonly id: string },
    more: Partial<AnswerPick> = {},
  ): AnswerPick => ({
    ...{ orgId, experimentId, id: "pick-1", best: "e2" },
    calls: [
      { eventId: "e1", variant: "a", userId: "ann" },
      { eventId: "e2", variant: "b", userId: "bob" },
    ],
    ...{ pickedBy: "person", pickedByName: "Person", pickedAt: NOW },
    ...more,
  });

  describe("picks", () => {
    test("are listed newest first, and a repeated pick replaces the first", async () => {
      const [first, second] = engine().planes;
      const experiment = await newExperiment(first, await newOrg(first));
      const { orgId, id } = experiment;
      await first.picks.put(pickOf(experiment));
      const newer = pickOf(experiment, { id: "pick-2", best: null, pickedAt: NOW + 1 });
      await second.picks.put(newer);
      expect(await second.picks.list(orgId, id, 10)).toEqual([newer, pickOf(experiment)]);
      expect(await second.picks.list(orgId, id, 1)).toEqual([newer]);
      const again = pickOf(experiment, { best: "e1", pickedAt: NOW + 2 });
      await first.picks.put(again);
      expect(await second.picks.list(orgId, id, 10)).toEqual([again, newer]);
      expect(await first.picks.list(await newOrg(first), id, 10)).toEqual([]);
    });

    test("are removed with a user whose answer they contain, and with their experiment", async () => {
      const [first] = engine().planes;
      const experiment = await newExperiment(first, await newOrg(first));
      const { orgId, id } = experiment;
      await first.picks.put(pickOf(experiment));
      const others = pickOf(experiment, {
        id: "pick-2",
        calls: [{ eventId: "e3", variant: "a", userId: "cy" }],
      });
      await first.picks.put(others);
      expect(await first.picks.eraseUsers([{ orgId: await newOrg(first), userId: "ann" }])).toBe(0);
      expect(await first.picks.eraseUsers([{ orgId, userId: "a\0" }])).toBe(0);
      expect(await first.picks.eraseUsers([{ orgId, userId: "ann" }])).toBe(2);
      expect(await first.picks.list(orgId, id, 10)).toEqual([{ ...others, best: null }]);
      expect(await first.experiments.remove(orgId, id)).toBe(true);
      expect(await first.picks.list(orgId, id, 10)).toEqual([]);
    });

    test("are only for experiments of the org", async () => {
      const [first] = engine().planes;
      const experiment = await newExperiment(first, await newOrg(first));
      await expect(first.picks.put(pickOf({ ...experiment, orgId: await newOrg(first) }))).rejects.toThrow();
    });
  });
}
