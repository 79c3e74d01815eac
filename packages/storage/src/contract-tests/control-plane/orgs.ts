import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { membershipOf, NOW, newMember, newOrg, ODD_TEXT } from "./fixtures.ts";

export function orgContract(engine: () => Engine): void {
  describe("orgs", () => {
    finding(engine);
    locking(engine);
  });
  describe("config version", () => configVersions(engine));
}

function finding(engine: () => Engine): void {
  test("are found with their updates, and listed newest first", async () => {
    const [first, second] = engine().planes;
    const externalId = `org_${randomUUID()}`;
    await first.people.putOrg({ externalId, order: 1, name: ODD_TEXT, isDeleted: false }, NOW);
    const { orgId } = await newMember(first, { externalOrgId: externalId }, NOW + 1);
    const org = { id: orgId, externalId, name: ODD_TEXT, configVersion: 1, createdAt: NOW };
    expect(await second.orgs.find(orgId)).toEqual(org);
    const later = await newMember(first, {}, NOW + 1);
    const ids = (await second.orgs.list()).map(({ id }) => id);
    expect(ids.indexOf(later.orgId)).toBeGreaterThanOrEqual(0);
    expect(ids.indexOf(later.orgId)).toBeLessThan(ids.indexOf(orgId));
  });

  test("are not found when unknown or deleted, and found again after a newer update", async () => {
    const [{ orgs, people }] = engine().planes;
    expect(await orgs.find(randomUUID())).toBeNull();
    const { externalOrgId: externalId, ...membership } = membershipOf();
    const { orgId } = await newMember({ people }, { ...membership, externalOrgId: externalId });
    await people.putOrg({ externalId, order: 5, name: "Acme", isDeleted: true }, NOW);
    expect(await orgs.find(orgId)).toBeNull();
    expect((await orgs.list()).map(({ id }) => id)).not.toContain(orgId);
    await expect(orgs.lock(orgId)).rejects.toMatchObject({ kind: "org-not-found" });
    await expect(orgs.bumpConfigVersion(orgId)).rejects.toMatchObject({ kind: "org-not-found" });
    await people.putOrg({ externalId, order: 6, name: null, isDeleted: false }, NOW);
    expect(await orgs.find(orgId)).toMatchObject({ id: orgId, name: "Acme" });
  });
}

function locking(engine: () => Engine): void {
  test("are locked by one transaction at a time", async () => {
    const { planes } = engine();
    const orgId = await newOrg(planes[0]);
    const steps: string[] = [];
    const work = (name: string, plane: (typeof planes)[number]) =>
      plane.transaction(async ({ orgs }) => {
        await orgs.lock(orgId);
        steps.push(`${name} begins`);
        await orgs.bumpConfigVersion(orgId);
        await orgs.find(orgId);
        steps.push(`${name} ends`);
      });
    await Promise.all([work("a", planes[0]), work("b", planes[1])]);
    const aFirst = ["a begins", "a ends", "b begins", "b ends"];
    expect(steps).toEqual(steps[0] === "a begins" ? aFirst : [...aFirst.slice(2), ...aFirst.slice(0, 2)]);
  });

  test("that do not exist cannot be locked", async () => {
    const [plane] = engine().planes;
    await expect(plane.transaction(({ orgs }) => orgs.lock(randomUUID()))).rejects.toMatchObject({
      kind: "org-not-found",
    });
  });
}

function configVersions(engine: () => Engine): void {
  test("grows by one for every increment by any process", async () => {
    const { planes } = engine();
    const orgId = await newOrg(planes[0]);
    const bumps = Array.from({ length: 20 }, (_, i) => planes[i % 2]!.orgs.bumpConfigVersion(orgId));
    const versions = (await Promise.all(bumps)).toSorted((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
    expect((await planes[1].orgs.find(orgId))?.configVersion).toBe(21);
  });

  test("is refused for an unknown org", async () => {
    const [{ orgs }] = engine().planes;
    await expect(orgs.bumpConfigVersion(randomUUID())).rejects.toMatchObject({ kind: "org-not-found" });
  });
}
