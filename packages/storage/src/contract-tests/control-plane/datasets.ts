import { randomUUID } from "node:crypto";
import { DAY_MS, type Dataset, type DatasetItem, dayOf, endOfDay, MAX_DATASET_ITEMS } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newExperiment, newOrg, ODD_TEXT } from "./fixtures.ts";

const itemOf = (id: string, more: Partial<DatasetItem> = {}): DatasetItem => ({
  id,
  messages: [{ role: "user", text: `${ODD_TEXT} \0 \ud83e` }],
  reference: null,
  userId: null,
  occurredAt: null,
  probability: 1,
  ...more,
});

type NewDataset = Omit<Dataset, "version" | "items">;

const uploadOf = (orgId: string, more: Partial<NewDataset> = {}): NewDataset => ({
  ...{ id: randomUUID(), orgId, name: ODD_TEXT, source: { kind: "upload", format: "csv" } },
  ...{ masked: { email: 3 }, createdAt: NOW, createdBy: "ann", expiresAt: null },
  ...more,
});

const drawOf = (
  { orgId, id: experimentId }: { readonly orgId: string; readonly id: string },
  more: Partial<NewDataset> = {},
  receivedFrom = NOW - DAY_MS,
): NewDataset => {
  const window = { from: NOW - 2 * DAY_MS, until: NOW, calls: 400, leftOut: 2, receivedFrom };
  return uploadOf(orgId, {
    source: { kind: "calls", experimentId, ...window },
    expiresAt: NOW + DAY_MS,
    ...more,
  });
};

const FIRST = { after: -1, limit: 50 };

export function datasetContract(engine: () => Engine): void {
  describe("datasets", () => {
    storing(engine);
    removing(engine);
  });
  describe("masking rules", () => {
    test("are the default ones until an org sets others, for itself alone", async () => {
      const [first, second] = engine().planes;
      const [orgId, stranger] = [await newOrg(first), await newOrg(first)];
      const all = { builtIn: ["email", "phone", "iban", "card", "ip"], own: [] };
      expect(await second.maskingRules.get(orgId)).toEqual(all);
      const rules = { builtIn: ["iban"], own: [{ name: "ticket", pattern: ODD_TEXT }] } as const;
      await first.maskingRules.put(orgId, { builtIn: [], own: [] });
      await first.maskingRules.put(orgId, rules);
      expect(await second.maskingRules.get(orgId)).toEqual(rules);
      expect(await second.maskingRules.get(stranger)).toEqual(all);
    });
  });
}

function storing(engine: () => Engine): void {
  test("are stored with their inputs, and found by their own org only", async () => {
    const [first, second] = engine().planes;
    const [orgId, stranger] = [await newOrg(first), await newOrg(first)];
    const items = [
      itemOf(ODD_TEXT, { reference: `${ODD_TEXT}\0`, userId: ODD_TEXT, occurredAt: NOW, probability: 1 / 3 }),
      itemOf("b", {
        messages: [
          { role: "assistant", text: "" },
          { role: "user", text: "Why?" },
        ],
      }),
      itemOf("c"),
    ];
    const dataset = uploadOf(orgId);
    const stored = await first.datasets.put(dataset, items);
    expect(stored).toEqual({ ...dataset, version: 1, items: 3 });
    expect(await second.datasets.find(orgId, dataset.id)).toEqual(stored);
    expect(await second.datasets.find(stranger, dataset.id)).toBeNull();
    const placed = items.map((item, position) => ({ ...item, position }));
    expect(await second.datasets.listItems(orgId, dataset.id, FIRST)).toEqual(placed);
    expect(await second.datasets.listItems(orgId, dataset.id, { after: 0, limit: 1 })).toEqual([placed[1]]);
    expect(await second.datasets.listItems(orgId, dataset.id, { after: 2, limit: 1 })).toEqual([]);
    expect(await second.datasets.listItems(stranger, dataset.id, FIRST)).toEqual([]);
    expect(await second.datasets.remove(stranger, dataset.id)).toBe(false);
    expect([await first.datasets.count(orgId), await first.datasets.count(stranger)]).toEqual([1, 0]);
  });

  test("get the next version of their name, even when two are stored at once", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const at = (createdAt: number, name = "faq") => uploadOf(orgId, { name, createdAt });
    const both = await Promise.all([
      first.datasets.put(at(NOW), [itemOf("a")]),
      second.datasets.put(at(NOW + 1), [itemOf("a")]),
    ]);
    expect(both.map(({ version }) => version).sort()).toEqual([1, 2]);
    expect(await second.datasets.findNewest(orgId, "faq")).toMatchObject({ version: 2 });
    expect(await second.datasets.findNewest(other, "faq")).toBeNull();
    expect((await first.datasets.put(at(NOW + 2, "chat"), [itemOf("a")])).version).toBe(1);
    expect((await first.datasets.put(uploadOf(other, { name: "faq" }), [itemOf("a")])).version).toBe(1);
    const page = await first.datasets.list(orgId, { limit: 2 });
    expect(page.items.map(({ createdAt }) => createdAt)).toEqual([NOW + 2, NOW + 1]);
    const next = await second.datasets.list(orgId, { limit: 2, cursor: page.nextCursor! });
    expect(next).toEqual({ items: [both[0]], nextCursor: null });
  });

  test("hold the most inputs that a dataset can have, and nothing of one that cannot be stored", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const text = "x".repeat(900);
    const items = Array.from({ length: MAX_DATASET_ITEMS }, (_, i) =>
      itemOf(String(i), { messages: [{ role: "user", text }] }),
    );
    const { id } = await plane.datasets.put(uploadOf(orgId), items);
    const last = await plane.datasets.listItems(orgId, id, { after: MAX_DATASET_ITEMS - 2, limit: 5 });
    expect(last).toEqual([{ ...items.at(-1), position: MAX_DATASET_ITEMS - 1 }]);
    await expect(plane.datasets.put(uploadOf(orgId), [itemOf("a"), itemOf("a")])).rejects.toThrow(/unique/i);
    expect(await plane.datasets.count(orgId)).toBe(1);
  });
}

function removing(engine: () => Engine): void {
  test("are removed with their inputs, alone or with the experiment that they were drawn from", async () => {
    const [first, second] = engine().planes;
    const experiment = await newExperiment(first, await newOrg(first));
    const { orgId } = experiment;
    const uploaded = await first.datasets.put(uploadOf(orgId), [itemOf("a")]);
    const drawn = await first.datasets.put(drawOf(experiment), [itemOf("a")]);
    expect(await second.datasets.find(orgId, drawn.id)).toEqual(drawn);
    await first.experiments.remove(orgId, experiment.id);
    expect(await second.datasets.find(orgId, drawn.id)).toBeNull();
    expect(await second.datasets.listItems(orgId, drawn.id, FIRST)).toEqual([]);
    expect(await first.datasets.remove(orgId, uploaded.id)).toBe(true);
    expect(await second.datasets.remove(orgId, uploaded.id)).toBe(false);
    expect(await second.datasets.listItems(orgId, uploaded.id, FIRST)).toEqual([]);
  });

  test("are only drawn from experiments of the org", async () => {
    const [plane] = engine().planes;
    const { id } = await newExperiment(plane, await newOrg(plane));
    const foreign = drawOf({ orgId: await newOrg(plane), id });
    await expect(plane.datasets.put(foreign, [itemOf("a")])).rejects.toThrow(/foreign key/i);
  });

  test("lose the inputs of an erased user, except those that were uploaded later", async () => {
    const [first, second] = engine().planes;
    const [experiment, stranger] = [await newExperiment(first, await newOrg(first)), await newOrg(first)];
    const { orgId } = experiment;
    const [ann, bob] = [ODD_TEXT, "bob"];
    const items = [
      itemOf("1", { userId: ann }),
      itemOf("2"),
      itemOf("3", { userId: bob }),
      itemOf("4", { userId: ann }),
    ];
    const late = { createdAt: NOW + 1 };
    const [before, after, drawn, elsewhere] = await Promise.all([
      first.datasets.put(uploadOf(orgId, { name: "1" }), items),
      first.datasets.put(uploadOf(orgId, { name: "2", ...late }), items),
      first.datasets.put(drawOf(experiment, { name: "3", ...late }), items),
      first.datasets.put(uploadOf(stranger), items),
    ]);
    const erasure = { orgId, userId: ann, requestedAt: NOW };
    const unstored = { ...erasure, userId: "a\0" };
    expect(await second.datasets.eraseUsers([erasure, unstored])).toBe(4);
    expect(await first.datasets.eraseUsers([erasure])).toBe(0);
    const counts = [before, after, drawn].map(({ id }) => first.datasets.find(orgId, id));
    expect((await Promise.all(counts)).map((found) => found?.items)).toEqual([2, 4, 2]);
    expect((await first.datasets.find(stranger, elsewhere.id))?.items).toBe(4);
    const left = await first.datasets.listItems(orgId, drawn.id, FIRST);
    expect(left.map(({ id, position }) => [id, position])).toEqual([
      ["2", 1],
      ["3", 2],
    ]);
  });

  test("expire with the first of the calls that they were drawn from, under the retention in force", async () => {
    const [plane] = engine().planes;
    const [experiment, kept] = [
      await newExperiment(plane, await newOrg(plane)),
      await newExperiment(plane, await newOrg(plane)),
    ];
    const today = endOfDay(dayOf(NOW));
    const old = await plane.datasets.put(drawOf(experiment, { name: "old" }, NOW - 3 * DAY_MS), []);
    const young = await plane.datasets.put(drawOf(experiment, { name: "young" }, NOW - 2 * DAY_MS), []);
    const upload = await plane.datasets.put(uploadOf(experiment.orgId), []);
    const other = await plane.datasets.put(drawOf(kept, {}, NOW - 3 * DAY_MS), []);
    const retention = [
      { orgIds: [experiment.orgId], retentionDays: 3 },
      { orgIds: [kept.orgId], retentionDays: 9 },
    ];
    expect(await plane.datasets.expire(retention, today - 1)).toBe(0);
    const expiryOf = async ({ orgId, id }: Dataset) => (await plane.datasets.find(orgId, id))?.expiresAt;
    expect(await Promise.all([old, young, upload, other].map(expiryOf))).toEqual([
      today,
      today + DAY_MS,
      null,
      today + 6 * DAY_MS,
    ]);
    expect(await plane.datasets.expire(retention, today)).toBe(1);
    expect(await Promise.all([old, young, upload, other].map(expiryOf))).toEqual([
      undefined,
      today + DAY_MS,
      null,
      today + 6 * DAY_MS,
    ]);
  });
}
