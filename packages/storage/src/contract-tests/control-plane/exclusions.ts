import type { ExclusionMatch, Lift } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { exclusionOf, NOW, newExperiment, newOrg, ODD_TEXT } from "./fixtures.ts";

const liftOf = (lifts: number, number: number): Lift => ({
  ...exclusionOf({ number, createdAt: NOW + number }),
  match: null,
  lifts,
});

export function exclusionContract(engine: () => Engine): void {
  describe("exclusions", () => {
    test("are listed as they were added, newest first, for their own experiment and org", async () => {
      const [first, second] = engine().planes;
      const [orgId, stranger] = [await newOrg(first), await newOrg(first)];
      const [one, other] = [await newExperiment(first, orgId), await newExperiment(first, orgId)];
      const entries = [exclusionOf(), exclusionOf({ number: 2, createdAt: NOW - 1 }), liftOf(1, 3)];
      for (const entry of entries) await first.exclusions.append(orgId, one.id, entry);
      await first.exclusions.append(orgId, other.id, exclusionOf());
      expect(await second.exclusions.list(orgId, one.id)).toEqual(entries.toReversed());
      expect(await second.exclusions.list(orgId, other.id)).toEqual([exclusionOf()]);
      expect(await second.exclusions.list(stranger, one.id)).toEqual([]);
      expect(await second.exclusions.listAll(orgId)).toEqual(
        new Map([
          [one.id, entries.toReversed()],
          [other.id, [exclusionOf()]],
        ]),
      );
      expect(await second.exclusions.listAll(stranger)).toEqual(new Map());
      const newest = await second.exclusions.newest(orgId);
      expect([newest.get(one.id), newest.get(other.id), newest.size]).toEqual([entries.at(-1)?.number, 1, 2]);
      expect(await second.exclusions.newest(stranger)).toEqual(new Map());
    });

    test.each<{ name: string; match: ExclusionMatch }>([
      {
        name: "every part",
        match: {
          userIds: [ODD_TEXT],
          eventIds: ["e1", "é", "🧪"],
          source: "publishable",
          keyPrefix: "svc_pk_12345678",
          client: "assay-python/1.2.0",
          variant: ODD_TEXT,
          businessMetric: ODD_TEXT,
          from: -1,
          to: NOW,
        },
      },
      { name: "one part", match: { variant: "control" } },
      {
        name: "the maximum number of ids",
        match: { userIds: Array.from({ length: 1_000 }, (_, i) => String(i).padStart(250, "語")) },
      },
    ])("keep a match of $name", async ({ match }) => {
      const [first, second] = engine().planes;
      const orgId = await newOrg(first);
      const { id } = await newExperiment(first, orgId);
      await first.exclusions.append(orgId, id, exclusionOf({ match }));
      expect(await second.exclusions.list(orgId, id)).toEqual([exclusionOf({ match })]);
    });

    test("name no erased user, in any experiment of the org", async () => {
      const [first, second] = engine().planes;
      const [orgId, stranger] = [await newOrg(first), await newOrg(first)];
      const [one, other] = [await newExperiment(first, orgId), await newExperiment(first, orgId)];
      const elsewhere = await newExperiment(first, stranger);
      const of = (number: number, match: ExclusionMatch) => exclusionOf({ number, match });
      const kept = [of(2, { variant: "a", userIds: ["bob"] }), of(3, { eventIds: [ODD_TEXT] })];
      for (const entry of [of(1, { userIds: ["ann", ODD_TEXT, "bob"], to: 5 }), ...kept, liftOf(2, 4)])
        await first.exclusions.append(orgId, one.id, entry);
      await first.exclusions.append(orgId, other.id, of(1, { userIds: [ODD_TEXT] }));
      await first.exclusions.append(stranger, elsewhere.id, of(1, { userIds: [ODD_TEXT] }));
      const erased = ["ann", ODD_TEXT].map((userId) => ({ orgId, userId }));
      expect(await second.exclusions.eraseUsers(erased)).toBe(2);
      expect(await first.exclusions.list(orgId, one.id)).toEqual([
        liftOf(2, 4),
        ...kept.toReversed(),
        of(1, { userIds: ["bob"], to: 5 }),
      ]);
      expect(await first.exclusions.list(orgId, other.id)).toEqual([of(1, { userIds: [] })]);
      expect(await first.exclusions.list(stranger, elsewhere.id)).toHaveLength(1);
      expect(await first.exclusions.eraseUsers([...erased, { orgId: stranger, userId: "ann" }])).toBe(0);
    });

    test("are refused under a number that is taken, as a second lift, and without an experiment of the org", async () => {
      const [plane] = engine().planes;
      const [orgId, stranger] = [await newOrg(plane), await newOrg(plane)];
      const { id } = await newExperiment(plane, orgId);
      for (const entry of [exclusionOf(), liftOf(1, 2)]) await plane.exclusions.append(orgId, id, entry);
      await expect(plane.exclusions.append(orgId, id, exclusionOf())).rejects.toThrow(/unique/i);
      await expect(plane.exclusions.append(orgId, id, liftOf(1, 3))).rejects.toThrow(/unique/i);
      await expect(plane.exclusions.append(stranger, id, exclusionOf())).rejects.toThrow(/foreign key/i);
      expect(await plane.exclusions.list(orgId, id)).toHaveLength(2);
    });
  });
}
