import { randomUUID } from "node:crypto";
import type { ContactMessage, Feedback } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { membershipOf, NOW, newMember, newOrg, ODD_TEXT, readAll } from "./fixtures.ts";

export function inboxContract(engine: () => Engine): void {
  describe("inbox", () => {
    feedback(engine);
    contact(engine);
    everything(engine);
  });
}

const feedbackOf = (orgId: string, overrides: Partial<Feedback> = {}): Feedback => ({
  id: randomUUID(),
  orgId,
  at: NOW,
  author: { id: "u1", name: ODD_TEXT, email: "ada@example.com" },
  category: "idea",
  message: ODD_TEXT,
  page: "/experiments",
  ...overrides,
});

const contactOf = (overrides: Partial<ContactMessage> = {}): ContactMessage => ({
  id: randomUUID(),
  at: NOW,
  name: ODD_TEXT,
  email: "grace@example.com",
  company: "Acme",
  message: ODD_TEXT,
  ...overrides,
});

function feedback(engine: () => Engine): void {
  test("lists an org's feedback unchanged, newest first", async () => {
    const [first, second] = engine().planes;
    const [orgId, other] = [await newOrg(first), await newOrg(first)];
    const [older, newer] = [feedbackOf(orgId), feedbackOf(orgId, { at: NOW + 1, page: null })];
    for (const one of [newer, older, feedbackOf(other)]) await first.inbox.putFeedback(one);
    expect(await second.inbox.listFeedback(orgId, { limit: 5 })).toEqual({
      items: [newer, older],
      nextCursor: null,
    });
  });

  test("refuses feedback of an org that does not exist", async () => {
    const [{ inbox }] = engine().planes;
    await expect(inbox.putFeedback(feedbackOf("no such org"))).rejects.toThrow(/foreign key/i);
  });
}

function contact(engine: () => Engine): void {
  test("lists the times at which a sender wrote, oldest first", async () => {
    const [first, second] = engine().planes;
    const [sender, other] = [randomUUID(), randomUUID()];
    for (const at of [NOW + 1, NOW - 1, NOW, NOW]) await first.inbox.putContact(contactOf({ at }), sender);
    await first.inbox.putContact(contactOf(), other);
    expect(await second.inbox.listContactTimes(sender, NOW)).toEqual([NOW, NOW, NOW + 1]);
    expect(await second.inbox.listContactTimes(randomUUID(), 0)).toEqual([]);
  });
}

function everything(engine: () => Engine): void {
  test("shows the platform owner both kinds as one list, newest first, with the org's name", async () => {
    const [first, second] = engine().planes;
    const membership = membershipOf();
    const { orgId } = await newMember(first, membership);
    const org = { externalId: membership.externalOrgId, order: 1, name: ODD_TEXT };
    await first.people.putOrg({ ...org, isDeleted: false }, NOW);
    const later = NOW + 1_000_000;
    const [oldest, newest] = [feedbackOf(orgId, { at: later }), feedbackOf(orgId, { at: later + 2 })];
    const between = contactOf({ at: later + 1, company: null });
    for (const one of [oldest, newest]) await first.inbox.putFeedback(one);
    await first.inbox.putContact(between, "sender");
    await first.people.putOrg({ ...org, order: 2, isDeleted: true }, NOW);
    const { items, nextCursor } = await second.inbox.list({ limit: 3 });
    expect(items).toEqual([
      { kind: "feedback", orgName: ODD_TEXT, ...newest },
      { kind: "contact", ...between },
      { kind: "feedback", orgName: ODD_TEXT, ...oldest },
    ]);
    expect(nextCursor).not.toBeNull();
  });

  test.each([
    { limit: 1, oldest: "feedback" },
    { limit: 4, oldest: "contact messages" },
    { limit: 7, oldest: "feedback" },
  ])(
    "is paged through by $limit without gaps or repeats, ending with $oldest only",
    async ({ limit, oldest }) => {
      const [plane] = engine().planes;
      const orgId = await newOrg(plane);
      for (let i = 0; i < 9; i++) {
        await plane.inbox.putFeedback(feedbackOf(orgId, { at: NOW + 2_000_000 + (i % 3) }));
        await plane.inbox.putContact(contactOf({ at: NOW + 2_000_000 + (i % 2) }), "sender");
      }
      for (let i = 0; i < 2 * limit + 1; i++) {
        if (oldest === "feedback")
          await plane.inbox.putFeedback(feedbackOf(orgId, { at: NOW - 1_000_000 - limit }));
        else await plane.inbox.putContact(contactOf({ at: NOW - 1_000_000 - limit }), "sender");
      }
      const whole = await plane.inbox.list({ limit: 10_000 });
      expect(whole.nextCursor).toBeNull();
      const places = whole.items.map(({ at, id }) => `${at} ${id}`);
      expect(places).toEqual(places.toSorted().toReversed());
      expect(await readAll(limit, (page) => plane.inbox.list(page))).toEqual(whole.items);
      await expect(plane.inbox.list({ limit, cursor: "no cursor" })).rejects.toMatchObject({
        kind: "invalid-query",
      });
    },
  );
}
