import { randomUUID } from "node:crypto";
import type { SignInLink, StoredSession } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, ODD_TEXT, readAll } from "./fixtures.ts";

const HOUR_MS = 3_600_000;

export function signInLinkContract(engine: () => Engine): void {
  describe("sign-in links", () => {
    redeeming(engine);
    inviting(engine);
    forgetting(engine);
  });
  describe("ended sessions", () => endedSessions(engine));
  describe("sessions", () => sessions(engine));
}

const linkOf = (overrides: Partial<SignInLink> = {}): SignInLink => ({
  id: randomUUID(),
  kind: "invitation",
  tokenHash: randomUUID(),
  externalOrgId: randomUUID(),
  email: "ada@example.com",
  name: ODD_TEXT,
  role: "member",
  createdAt: NOW - HOUR_MS,
  expiresAt: NOW,
  ...overrides,
});

function redeeming(engine: () => Engine): void {
  test("are redeemed once", async () => {
    const [first, second] = engine().planes;
    const link = linkOf();
    await first.signInLinks.create(link);
    expect(await second.signInLinks.redeem(link.tokenHash, NOW - 1)).toEqual(link);
    expect(await first.signInLinks.redeem(link.tokenHash, NOW - 1)).toBeNull();
  });

  test("are refused when expired or unknown", async () => {
    const [{ signInLinks: links }] = engine().planes;
    const link = linkOf();
    await links.create(link);
    expect(await links.redeem(link.tokenHash, NOW)).toBeNull();
    expect(await links.redeem(randomUUID(), 0)).toBeNull();
  });

  test("are found without being used up, until they expire", async () => {
    const [first, second] = engine().planes;
    const link = linkOf();
    await first.signInLinks.create(link);
    expect(await second.signInLinks.find(link.tokenHash, NOW - 1)).toEqual(link);
    expect(await second.signInLinks.find(link.tokenHash, NOW)).toBeNull();
    expect(await second.signInLinks.find(randomUUID(), NOW - 1)).toBeNull();
    expect(await second.signInLinks.redeem(link.tokenHash, NOW - 1)).toEqual(link);
  });

  test("are redeemed by only one of many callers", async () => {
    const { planes } = engine();
    const link = linkOf();
    await planes[0].signInLinks.create(link);
    const redeemed = await Promise.all(
      Array.from({ length: 10 }, (_, i) => planes[i % 2]!.signInLinks.redeem(link.tokenHash, 0)),
    );
    expect(redeemed.filter((taken) => taken !== null)).toEqual([link]);
  });
}

function inviting(engine: () => Engine): void {
  test("list the invitations of one org that can still be redeemed, newest first", async () => {
    const [first, second] = engine().planes;
    const externalOrgId = randomUUID();
    const [older, newer] = [linkOf({ externalOrgId }), linkOf({ externalOrgId, createdAt: NOW - 1 })];
    const others = [
      linkOf({ externalOrgId, kind: "ticket" }),
      linkOf({ externalOrgId, expiresAt: NOW - 1 }),
      linkOf(),
    ];
    for (const link of [older, ...others, newer]) await first.signInLinks.create(link);
    expect(await second.signInLinks.listInvitations(externalOrgId, NOW - 1, { limit: 5 })).toEqual({
      items: [newer, older],
      nextCursor: null,
    });
    expect(await second.signInLinks.listInvited(externalOrgId, NOW - 1)).toEqual(["ada@example.com"]);
    expect(await second.signInLinks.listInvited(externalOrgId, NOW)).toEqual([]);
  });

  test("are used up by their email, whose newest counts", async () => {
    const [{ signInLinks }] = engine().planes;
    const externalOrgId = randomUUID();
    const [older, newer] = [linkOf({ externalOrgId }), linkOf({ externalOrgId, createdAt: NOW - 1 })];
    const others = [linkOf({ externalOrgId, kind: "ticket" }), linkOf({ externalOrgId, email: "eve@x.org" })];
    for (const link of [newer, older, ...others]) await signInLinks.create(link);
    expect(await signInLinks.redeemInvitationOf(randomUUID(), "ada@example.com", NOW - 1)).toBeNull();
    expect(await signInLinks.redeemInvitationOf(externalOrgId, "ada@example.com", NOW - 1)).toEqual(newer);
    expect(await signInLinks.redeemInvitationOf(externalOrgId, "ada@example.com", NOW - 1)).toBeNull();
    for (const { tokenHash } of others) expect(await signInLinks.find(tokenHash, NOW - 1)).not.toBeNull();
    await signInLinks.create(linkOf({ externalOrgId }));
    expect(await signInLinks.redeemInvitationOf(externalOrgId, "ada@example.com", NOW)).toBeNull();
  });

  test("revoke all invitations of one email in one org, and nothing else", async () => {
    const [{ signInLinks }] = engine().planes;
    const externalOrgId = randomUUID();
    const kept = [
      linkOf({ externalOrgId, kind: "ticket" }),
      linkOf({ externalOrgId, email: "bob@example.com" }),
      linkOf(),
    ];
    const revoked = [linkOf({ externalOrgId }), linkOf({ externalOrgId })];
    for (const link of [...kept, ...revoked]) await signInLinks.create(link);
    await signInLinks.revokeInvitationsOf(externalOrgId, "ada@example.com");
    for (const link of revoked) expect(await signInLinks.find(link.tokenHash, NOW - 1)).toBeNull();
    for (const link of kept) expect(await signInLinks.find(link.tokenHash, NOW - 1)).toEqual(link);
  });

  test("page through invitations of one timestamp without gaps or repeats", async () => {
    const [{ signInLinks }] = engine().planes;
    const externalOrgId = randomUUID();
    const links = Array.from({ length: 11 }, (_, i) =>
      linkOf({ externalOrgId, email: `${i % 2}@example.com` }),
    );
    for (const link of links) await signInLinks.create(link);
    const listed = await readAll(3, (page) => signInLinks.listInvitations(externalOrgId, NOW - 1, page));
    expect(listed.map(({ id }) => id)).toEqual(
      links
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    const invited = await signInLinks.listInvited(externalOrgId, NOW - 1);
    expect(invited).toEqual(["0@example.com", "1@example.com"]);
  });

  test("are revoked once, as invitations of their own org only", async () => {
    const [first, second] = engine().planes;
    const [invitation, ticket] = [linkOf(), linkOf({ kind: "ticket" })];
    for (const link of [invitation, ticket]) await first.signInLinks.create(link);
    const revoke = (org: SignInLink, link: SignInLink) =>
      second.signInLinks.revokeInvitation(org.externalOrgId, link.id);
    expect(await revoke(ticket, invitation)).toBeNull();
    expect(await revoke(ticket, ticket)).toBeNull();
    expect(await revoke(invitation, invitation)).toEqual(invitation);
    expect(await revoke(invitation, invitation)).toBeNull();
    expect(await first.signInLinks.redeem(invitation.tokenHash, 0)).toBeNull();
    expect(await first.signInLinks.redeem(ticket.tokenHash, 0)).toEqual(ticket);
  });
}

function forgetting(engine: () => Engine): void {
  test("are deleted when another is created after they expire", async () => {
    const [{ signInLinks }] = engine().planes;
    const [expired, valid] = [linkOf({ expiresAt: NOW }), linkOf({ expiresAt: NOW + 1 })];
    for (const link of [expired, valid]) await signInLinks.create(link);
    await signInLinks.create(linkOf({ createdAt: NOW, expiresAt: NOW + HOUR_MS }));
    expect(await signInLinks.redeem(expired.tokenHash, 0)).toBeNull();
    expect(await signInLinks.redeem(valid.tokenHash, 0)).toEqual(valid);
  });
}

function endedSessions(engine: () => Engine): void {
  test("are known to every process until their tokens expire", async () => {
    const [first, second] = engine().planes;
    const id = randomUUID();
    expect(await second.endedSessions.isEnded(id)).toBe(false);
    await first.endedSessions.end({ id, expiresAt: NOW + 1 }, NOW);
    await second.endedSessions.end({ id, expiresAt: NOW + 1 }, NOW);
    expect(await second.endedSessions.isEnded(id)).toBe(true);
    expect(await second.endedSessions.isEnded(randomUUID())).toBe(false);
    await first.endedSessions.end({ id: randomUUID(), expiresAt: NOW + 2 }, NOW + 1);
    expect(await second.endedSessions.isEnded(id)).toBe(false);
  });
}

const sessionOf = (overrides: Partial<StoredSession> = {}): StoredSession => ({
  id: randomUUID(),
  orgId: randomUUID(),
  userId: randomUUID(),
  startedAt: NOW - HOUR_MS,
  lastUsedAt: NOW - HOUR_MS,
  endsAt: NOW + HOUR_MS,
  userAgent: ODD_TEXT,
  sealedRefreshToken: null,
  askedAt: NOW - HOUR_MS,
  confirmedAt: NOW - HOUR_MS,
  verifiedAt: null,
  ...overrides,
});

function sessions(engine: () => Engine): void {
  test("are stored once, and found by every process", async () => {
    const [first, second] = engine().planes;
    const session = sessionOf({ sealedRefreshToken: "sealed" });
    await first.sessions.add(session);
    await second.sessions.add({ ...session, userAgent: "another" });
    expect(await second.sessions.find(session.id)).toEqual(session);
    expect(await second.sessions.find(randomUUID())).toBeNull();
    await first.sessions.remove(session.id);
    expect(await second.sessions.find(session.id)).toBeNull();
  });

  test.each([{ orgId: randomUUID() }, { orgId: null }])(
    "are listed for one person in one org, latest use first, until they end: $orgId",
    async ({ orgId }) => {
      const [first, second] = engine().planes;
      const owner = { orgId, userId: randomUUID() };
      const [older, newer] = [sessionOf(owner), sessionOf(owner)];
      const others = [
        sessionOf({ ...owner, endsAt: NOW }),
        sessionOf({ ...owner, orgId: randomUUID() }),
        sessionOf({ ...owner, userId: randomUUID() }),
      ];
      for (const session of [older, newer, ...others]) await first.sessions.add(session);
      await first.sessions.touch(newer.id, NOW);
      expect(await second.sessions.list(owner, NOW)).toEqual([{ ...newer, lastUsedAt: NOW }, older]);
    },
  );

  test("are asked about by one of many, and confirmed", async () => {
    const { planes } = engine();
    const session = sessionOf();
    await planes[0].sessions.add(session);
    const claims = Array.from({ length: 6 }, (_, i) =>
      planes[i % 2]!.sessions.claimQuestion(session.id, session.askedAt, NOW),
    );
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    await planes[1].sessions.confirm(session.id, "next", NOW);
    expect(await planes[0].sessions.find(session.id)).toEqual({
      ...session,
      ...{ askedAt: NOW, confirmedAt: NOW, sealedRefreshToken: "next" },
    });
  });

  test("that have ended are forgotten when another begins", async () => {
    const [{ sessions: store }] = engine().planes;
    const [over, current] = [sessionOf({ endsAt: NOW }), sessionOf({ endsAt: NOW + 1 })];
    for (const session of [over, current, sessionOf({ startedAt: NOW })]) await store.add(session);
    expect([await store.find(over.id), await store.find(current.id)]).toEqual([null, current]);
  });
}
