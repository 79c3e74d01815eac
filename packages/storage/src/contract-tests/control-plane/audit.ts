import type { AuditEntry, ControlPlane } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { entryOf, NOW, newOrg } from "./fixtures.ts";

export function auditContract(engine: () => Engine): void {
  describe("audit", () => {
    listing(engine);
    timing(engine);
    appending(engine);
  });
}

/** Reads all pages and returns the entries of each. */
async function readPages(plane: ControlPlane, orgId: string, filter: { targetId?: string; limit: number }) {
  const pages: (readonly AuditEntry[])[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await plane.audit.list(orgId, cursor === undefined ? filter : { ...filter, cursor });
    pages.push(page.items);
    cursor = page.nextCursor;
  }
  return pages;
}

function listing(engine: () => Engine): void {
  test("keeps entries as they were recorded, newest first, for their own org", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const entries = [
      entryOf(orgId),
      entryOf(orgId, { at: NOW + 2, diff: null }),
      entryOf(orgId, { at: NOW + 1 }),
    ];
    for (const entry of entries) await first.audit.record(entry);
    expect(await second.audit.list(orgId, { limit: 10 })).toEqual({
      items: [entries[1], entries[2], entries[0]],
      nextCursor: null,
    });
    expect(await second.audit.list(other, { limit: 10 })).toEqual({ items: [], nextCursor: null });
  });

  test("pages through 500 entries of one timestamp without gaps or repeats", async () => {
    const [plane] = engine().planes;
    const [orgId, other] = [await newOrg(plane), await newOrg(plane)];
    await plane.transaction(async ({ audit }) => {
      for (let i = 0; i < 500; i++) {
        await audit.record(entryOf(orgId, { targetId: `target ${i % 2}` }));
        await audit.record(entryOf(other));
      }
    });
    const pages = await readPages(plane, orgId, { limit: 37 });
    expect(pages.map(({ length }) => length)).toEqual([...Array<number>(13).fill(37), 19]);
    const ids = pages.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(500);
    expect(ids).toEqual(ids.toSorted().toReversed());
    const ofTarget = await readPages(plane, orgId, { targetId: "target 1", limit: 125 });
    expect(ofTarget.map(({ length }) => length)).toEqual([125, 125]);
    expect(ofTarget.flat().map(({ id }) => id)).toEqual(
      pages
        .flat()
        .filter(({ targetId }) => targetId === "target 1")
        .map(({ id }) => id),
    );
  });

  test.each([
    { name: "not base64url", cursor: "***" },
    { name: "not JSON", cursor: Buffer.from("{").toString("base64url") },
    { name: "not a pair", cursor: Buffer.from("1").toString("base64url") },
    { name: "an instant that is text", cursor: Buffer.from(`["x","y"]`).toString("base64url") },
    { name: "an id that is a number", cursor: Buffer.from("[1,2]").toString("base64url") },
    { name: "a NUL", cursor: Buffer.from(`[1,"\\u0000"]`).toString("base64url") },
    { name: "empty", cursor: "" },
  ])("refuses a cursor that is $name", async ({ cursor }) => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    await expect(plane.audit.list(orgId, { limit: 5, cursor })).rejects.toMatchObject({
      kind: "invalid-query",
    });
  });
}

function timing(engine: () => Engine): void {
  test("lists the times of one action on one target of one org, oldest first", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const action = "experiment.test-event";
    for (const entry of [
      entryOf(orgId, { action, at: NOW + 1 }),
      entryOf(orgId, { action, at: NOW - 1 }),
      entryOf(orgId, { action }),
      entryOf(orgId, { action }),
      entryOf(orgId, { action, targetId: "e2" }),
      entryOf(orgId),
      entryOf(other, { action }),
    ]) {
      await first.audit.record(entry);
    }
    const timesSince = (since: number) => second.audit.listTimes(orgId, { action, targetId: "e1", since });
    expect(await timesSince(NOW)).toEqual([NOW, NOW, NOW + 1]);
    expect(await timesSince(NOW + 2)).toEqual([]);
  });
}

function appending(engine: () => Engine): void {
  test.each([
    {
      name: "an update",
      change: (id: string) => `update audit_entries set summary = 'x' where id = '${id}'`,
    },
    { name: "a delete", change: (id: string) => `delete from audit_entries where id = '${id}'` },
  ])("refuses $name in the database itself", async ({ change }) => {
    const { planes, execute } = engine();
    const entry = entryOf(await newOrg(planes[0]));
    await planes[0].audit.record(entry);
    await expect(execute(change(entry.id))).rejects.toThrow("append-only");
    expect((await planes[0].audit.list(entry.orgId, { limit: 5 })).items).toEqual([entry]);
  });

  test("refuses a second entry with the same id", async () => {
    const [plane] = engine().planes;
    const entry = entryOf(await newOrg(plane));
    await plane.audit.record(entry);
    await expect(plane.audit.record({ ...entry, summary: "other" })).rejects.toThrow();
    expect((await plane.audit.list(entry.orgId, { limit: 5 })).items).toEqual([entry]);
  });
}
