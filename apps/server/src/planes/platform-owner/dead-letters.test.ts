import { afterAll, beforeAll, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { onStoppedStores } from "../../test-support/stopped-stores.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Letters {
  readonly count: number;
  readonly items: readonly {
    readonly id: string;
    readonly org_id: string;
    readonly received_at: string;
    readonly buried_at: string;
    readonly reason: string;
    readonly bytes: number;
  }[];
}

const path = "/v1/admin/dead-letters";
const UNREADABLE = '{"events": [{"user_id": "somebody\'s name"';
let api: TestService;
let orgId: string;
beforeAll(async () => {
  api = await openTestService();
  orgId = (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body.org_id;
});
afterAll(() => api.stop());

const letters = async () => (await api.call<Letters>("GET", path)).body;
const replay = (body: unknown) =>
  api.call<{ replayed: number } & WireProblem>("POST", `${path}/replay`, { body });

/** Leaves batches in the queue as a damaged disk or an older version might have, and waits until they are buried. */
async function buryUnreadable(receivedAt: readonly number[]): Promise<Letters> {
  const expected = (await letters()).count + receivedAt.length;
  await onStoppedStores(api, async ({ queue }) => {
    for (const at of receivedAt)
      await queue.append({ orgId, receivedAt: at, rejected: [], experiments: {} }, Buffer.from(UNREADABLE));
  });
  await expect.poll(async () => (await letters()).count).toBe(expected);
  return letters();
}

test("a service that stores everything has none", async () => {
  expect(await letters()).toEqual({ count: 0, items: [] });
  expect((await replay({})).body).toEqual({ replayed: 0 });
});

test("what cannot be stored is listed with its reason, replayed, and audited", async () => {
  const { items } = await buryUnreadable([Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22)]);
  expect(items[0]).toEqual({
    id: expect.any(String),
    org_id: orgId,
    received_at: "2026-11-22T00:00:00.000Z",
    buried_at: expect.any(String),
    reason: "SyntaxError: the body is not JSON",
    bytes: UNREADABLE.length,
  });
  expect(items.map(({ received_at }) => received_at)).toEqual([
    "2026-11-22T00:00:00.000Z",
    "2026-11-21T00:00:00.000Z",
  ]);
  expect((await replay({ ids: [items[1]!.id, "no such letter"] })).body).toEqual({ replayed: 1 });
  // It still fails, and is buried again under a new id.
  await expect.poll(async () => (await letters()).count).toBe(2);
  expect((await letters()).items.map(({ id }) => id)).not.toContain(items[1]!.id);
  const trail = await api.call<{ items: readonly object[] }>("GET", "/v1/audit?target_id=dead-letters");
  expect(trail.body.items).toMatchObject([
    { action: "dead-letters.replay", target_type: "queue", summary: "Replayed 1 dead letter." },
  ]);
  expect(api.logged()).not.toContain("somebody");
});

test("a dead letter is not part of the backlog", async () => {
  await buryUnreadable([Date.now()]);
  const health = await api.call<{ queue: { batches: number } }>("GET", "/v1/admin/health");
  expect(health.body.queue.batches).toBe(0);
});

test.each([{ ids: [] }, { ids: [""] }, { ids: "all" }, { other: 1 }])(
  "%j is no request to replay",
  async (body) => {
    const { status, body: problem } = await replay(body);
    expect([status, slugOf(problem)]).toEqual([400, "invalid-body"]);
  },
);
