import { randomUUID } from "node:crypto";
import type { Identity, Role, SignInLink, StoredKey } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { identityOf, NOW, newOrg, ODD_TEXT } from "./fixtures.ts";

export function orgContract(engine: () => Engine): void {
  describe("orgs", () => provisioning(engine));
  describe("config version", () => configVersions(engine));
  describe("sign-in links", () => signInLinks(engine));
  describe("keys", () => keys(engine));
}

function provisioning(engine: () => Engine): void {
  test("provisions user, org and membership once and finds them again", async () => {
    const [first, second] = engine().planes;
    const identity = identityOf({ orgName: ODD_TEXT, name: ODD_TEXT, role: "owner" });
    const membership = await first.orgs.provision(identity, NOW);
    expect(await second.orgs.provision(identity, NOW + 5)).toEqual(membership);
    expect(membership.role).toBe("owner");
    expect(await second.orgs.find(membership.orgId)).toEqual({
      id: membership.orgId,
      externalId: identity.externalOrgId,
      name: ODD_TEXT,
      configVersion: 1,
      createdAt: NOW,
    });
    const user = {
      id: membership.userId,
      externalId: identity.externalUserId,
      email: identity.email,
      name: ODD_TEXT,
    };
    expect(await second.orgs.findUser(membership.userId)).toEqual(user);
    expect(await second.orgs.findUserByExternalId(identity.externalUserId)).toEqual(user);
    expect(await second.orgs.listMembers(membership.orgId)).toEqual([{ ...user, role: "owner" }]);
  });

  test("answers null for an org or user that is not there", async () => {
    const [{ orgs }] = engine().planes;
    expect(await orgs.find(randomUUID())).toBeNull();
    expect(await orgs.findUser(randomUUID())).toBeNull();
    expect(await orgs.findUserByExternalId("nobody")).toBeNull();
    expect(await orgs.listMembers(randomUUID())).toEqual([]);
  });

  test("names an org without a name after its external id", async () => {
    const [{ orgs }] = engine().planes;
    const identity = identityOf({ orgName: null });
    const { orgId } = await orgs.provision(identity, NOW);
    expect((await orgs.find(orgId))?.name).toBe(identity.externalOrgId);
  });

  test("lets one user be in two orgs, each with its own role, and lists orgs newest first", async () => {
    const [{ orgs }] = engine().planes;
    const identity = identityOf({ role: "owner" });
    const one = await orgs.provision(identity, NOW);
    const two = await orgs.provision(
      { ...identityOf({ ...identity, role: "member" }), externalOrgId: randomUUID() },
      NOW + 1,
    );
    expect(two).toEqual({ orgId: two.orgId, userId: one.userId, role: "member" });
    const ids = (await orgs.list()).map(({ id }) => id);
    expect(ids.indexOf(two.orgId)).toBeGreaterThanOrEqual(0);
    expect(ids.indexOf(two.orgId)).toBeLessThan(ids.indexOf(one.orgId));
  });

  test.each<{ name: string; tokens: (readonly [Role, number])[]; role: Role }>([
    {
      name: "a newer token's role",
      tokens: [
        ["member", 1],
        ["admin", 2],
      ],
      role: "admin",
    },
    {
      name: "the role of a token of the same age",
      tokens: [
        ["member", 1],
        ["owner", 1],
      ],
      role: "owner",
    },
    {
      name: "the newer role when an older token comes late",
      tokens: [
        ["admin", 2],
        ["member", 1],
      ],
      role: "admin",
    },
    {
      name: "the role that a newer token confirmed",
      tokens: [
        ["admin", 1],
        ["admin", 3],
        ["member", 2],
      ],
      role: "admin",
    },
  ])("keeps $name", async ({ tokens, role }) => {
    const [{ orgs }] = engine().planes;
    const identity = identityOf();
    let last: Role | null = null;
    for (const [tokenRole, age] of tokens) {
      last = (await orgs.provision({ ...identity, role: tokenRole, issuedAt: NOW + age }, NOW)).role;
    }
    const { orgId } = await orgs.provision({ ...identity, issuedAt: 0 }, NOW);
    expect(last).toBe(role);
    expect((await orgs.listMembers(orgId)).map((member) => member.role)).toEqual([role]);
  });

  test("provisions one user, one org and one membership when two processes see the first token at once", async () => {
    const { planes } = engine();
    for (let round = 0; round < 10; round++) {
      const identity: Identity = identityOf();
      const memberships = await Promise.all(
        [...planes, ...planes].map((plane) => plane.orgs.provision(identity, NOW)),
      );
      const { orgId } = memberships[0]!;
      expect(new Set(memberships.map((membership) => JSON.stringify(membership))).size).toBe(1);
      const orgs = await planes[0].orgs.list();
      expect(orgs.filter(({ externalId }) => externalId === identity.externalOrgId)).toHaveLength(1);
      expect(await planes[0].orgs.listMembers(orgId)).toHaveLength(1);
    }
  });
}

function configVersions(engine: () => Engine): void {
  test("rises by one for every bump of any process", async () => {
    const { planes } = engine();
    const orgId = await newOrg(planes[0]);
    const bumps = Array.from({ length: 20 }, (_, i) => planes[i % 2]!.orgs.bumpConfigVersion(orgId));
    const versions = (await Promise.all(bumps)).toSorted((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
    expect((await planes[1].orgs.find(orgId))?.configVersion).toBe(21);
  });

  test("is refused for an unknown org", async () => {
    const [{ orgs }] = engine().planes;
    await expect(orgs.bumpConfigVersion(randomUUID())).rejects.toMatchObject({ kind: "not-found" });
  });
}

const linkOf = (): SignInLink => ({
  tokenHash: randomUUID(),
  externalOrgId: randomUUID(),
  email: "ada@example.com",
  name: ODD_TEXT,
  role: "member",
  expiresAt: NOW,
});

function signInLinks(engine: () => Engine): void {
  test("are redeemed once", async () => {
    const [first, second] = engine().planes;
    const link = linkOf();
    await first.signInLinks.create(link);
    expect(await second.signInLinks.redeem(link.tokenHash, NOW - 1)).toEqual(link);
    expect(await first.signInLinks.redeem(link.tokenHash, NOW - 1)).toBeNull();
  });

  test("are worth nothing once expired, or when unknown", async () => {
    const [{ signInLinks: links }] = engine().planes;
    const link = linkOf();
    await links.create(link);
    expect(await links.redeem(link.tokenHash, NOW)).toBeNull();
    expect(await links.redeem(randomUUID(), 0)).toBeNull();
  });

  test("go to one of many callers", async () => {
    const { planes } = engine();
    const link = linkOf();
    await planes[0].signInLinks.create(link);
    const redeemed = await Promise.all(
      Array.from({ length: 10 }, (_, i) => planes[i % 2]!.signInLinks.redeem(link.tokenHash, 0)),
    );
    expect(redeemed.filter((taken) => taken !== null)).toEqual([link]);
  });
}

function keys(engine: () => Engine): void {
  const keyOf = (orgId: string, overrides: Partial<StoredKey> = {}): StoredKey => ({
    orgId,
    scope: "secret",
    hash: randomUUID(),
    sealed: "sealed",
    createdAt: NOW,
    ...overrides,
  });

  test("are found by hash and by scope, in their own org only", async () => {
    const [{ keys: store }, second] = engine().planes;
    const [orgId, other] = [await newOrg(second), await newOrg(second)];
    const secret = keyOf(orgId);
    const publishable = keyOf(orgId, { scope: "publishable", sealed: null, createdAt: NOW + 1 });
    await store.rotate(secret);
    await store.rotate(publishable);
    expect(await second.keys.findByHash(secret.hash)).toEqual(secret);
    expect(await second.keys.find(orgId, "publishable")).toEqual(publishable);
    expect(await second.keys.list(orgId)).toEqual([publishable, secret]);
    expect(await second.keys.find(other, "secret")).toBeNull();
    expect(await second.keys.list(other)).toEqual([]);
  });

  test("lose their scope's previous one on rotation", async () => {
    const [{ keys: store }, second] = engine().planes;
    const orgId = await newOrg(second);
    const [before, after] = [keyOf(orgId), keyOf(orgId, { createdAt: NOW + 1 })];
    await store.rotate(before);
    await store.rotate(after);
    expect(await store.findByHash(before.hash)).toBeNull();
    expect(await store.list(orgId)).toEqual([after]);
  });
}
