import { addDays, type Day } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isNight } from "../../../../../tests/in-night.ts";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Usage {
  readonly events: number;
}
interface Summary {
  readonly org_id: string;
  readonly name: string;
  readonly usage: Usage;
}
interface Overview {
  readonly events_this_month: number;
  readonly traffic: readonly { readonly day: Day; readonly events: number }[];
}
interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}
interface Org extends Summary {
  readonly members: number;
  readonly member_list: readonly { readonly user_id: string; readonly email: string }[];
  readonly members_truncated: boolean;
}

const NOON = Date.UTC(2026, 10, 21, 12);
const clock = { at: NOON, now: () => clock.at };
let api: TestService;
/** Id of the platform owner's org, and of the two others. */
const orgs = { own: "", acme: "", globex: "" };

const owner = (org: string) => api.token({ email: `owner@${org}.org`, org });
const orgIdOf = async (token?: string) =>
  (await api.call<{ org_id: string }>("GET", "/v1/whoami", token === undefined ? {} : { token })).body.org_id;

/** Sends exposures of one org, received now, and waits until they are metered. */
async function send(org: string, count: number): Promise<void> {
  const token = await owner(org);
  const { body } = await api.call<{ key: string }>("POST", "/v1/keys", { token, body: { scope: "secret" } });
  const events = Array.from({ length: count }, (_, i) => ({
    event_id: crypto.randomUUID(),
    type: "exposure",
    experiment_id: "one",
    user_id: `u${i}`,
    timestamp: clock.at,
  }));
  const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key: body.key, body: events });
  expect(sent.body.accepted).toBe(count);
  const usage = () => api.call<{ events: { used: number } }>("GET", "/v1/usage", { token });
  const isMetered = async () => expect((await usage()).body.events.used).toBeGreaterThanOrEqual(count);
  await vi.waitFor(isMetered, { timeout: 80_000, interval: 50 });
}

beforeAll(async () => {
  clock.at = NOON - 20 * 86_400_000;
  api = await openTestService({}, clock);
  orgs.own = await orgIdOf();
  for (const name of ["acme", "globex"] as const) {
    clock.at += 1_000;
    orgs[name] = await orgIdOf(await owner(name));
  }
  for (const email of ["ann@acme.org", "bob@acme.org"])
    await orgIdOf(await api.token({ email, role: "member", org: "acme" }));
  const create = async (org: string, name: string, status: string) => {
    const options = { token: await owner(org), body: experimentBody(name, { status }) };
    expect((await api.call<WireExperiment>("POST", "/v1/experiments", options)).status).toBe(201);
  };
  await create("acme", "one", "running");
  await create("acme", "two", "draft");
  await create("globex", "one", "running");
  await send("acme", 3);
  clock.at = NOON - 86_400_000;
  await send("acme", 5);
  clock.at = NOON;
  await send("acme", 4);
  await send("globex", 2);
  await api.call("PUT", `/v1/admin/orgs/${orgs.globex}/plan-override`, { body: { plan: "business" } });
});
afterAll(() => api.stop());

describe("the overview", () => {
  test("adds up all orgs, and counts the events of the last 30 days by day", async () => {
    const { status, body } = await api.call<Overview>("GET", "/v1/admin/overview");
    const { traffic, ...totals } = body;
    expect(status).toBe(200);
    expect(totals).toEqual({
      orgs: 3,
      users: 5,
      experiments: { draft: 1, running: 2, stopped: 0 },
      plans: { free: 2, pro: 0, business: 1, enterprise: 0 },
      events_this_month: 14,
      judge_evaluations_this_month: 0,
    });
    const days = Array.from({ length: 30 }, (_, i) => addDays("2026-10-23" as Day, i));
    const counts: Record<string, number> = { "2026-11-01": 3, "2026-11-20": 5, "2026-11-21": 6 };
    expect(traffic).toEqual(days.map((day) => ({ day, events: counts[day] ?? 0 })));
  });
});

describe("the list of orgs", () => {
  test("shows plan and usage of each, newest first", async () => {
    const { status, body } = await api.call<Page<Summary>>("GET", "/v1/admin/orgs");
    expect([status, body.next_cursor]).toEqual([200, null]);
    const common = { created_at: expect.stringMatching(/^2026-11-01T12:00:0\d\.\d{3}Z$/) };
    const usage = (events: number, allowance: number) => ({
      usage: { month: "2026-11", events, judge_evaluations: 0, event_allowance: allowance },
    });
    const free = { plan: "free", plan_override: null, subscription_plan: "free" };
    const business = { plan: "business", plan_override: "business", subscription_plan: "free" };
    expect(body.items).toEqual([
      {
        org_id: orgs.globex,
        name: expect.any(String),
        ...common,
        ...business,
        members: 1,
        experiments: 1,
        ...usage(2, 10_000_000),
      },
      {
        org_id: orgs.acme,
        name: expect.any(String),
        ...common,
        ...free,
        members: 3,
        experiments: 2,
        ...usage(12, 50_000),
      },
      {
        org_id: orgs.own,
        name: expect.any(String),
        ...common,
        ...free,
        members: 1,
        experiments: 0,
        ...usage(0, 50_000),
      },
    ]);
  });

  test("is walked page by page", async () => {
    const read: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path: string = `/v1/admin/orgs?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const { body } = await api.call<Page<Summary>>("GET", path);
      read.push(...body.items.map((org) => org.org_id));
      cursor = body.next_cursor;
    }
    expect(read).toEqual([orgs.globex, orgs.acme, orgs.own]);
  });

  test.each(["?limit=0", "?cursor=mine", "?plan=free"])("refuses %s", async (query) => {
    const { status, body } = await api.call<WireProblem>("GET", `/v1/admin/orgs${query}`);
    expect([status, slugOf(body)]).toEqual([400, "invalid-query"]);
  });
});

describe("one org", () => {
  const get = (id: string) => api.call<Org & WireProblem>("GET", `/v1/admin/orgs/${id}`);

  test("is told with its members", async () => {
    const { status, body } = await get(orgs.acme);
    expect(status).toBe(200);
    const role = (email: string, is: string) => ({
      user_id: expect.any(String),
      name: email,
      email,
      role: is,
      joined_at: expect.stringMatching(/Z$/),
    });
    expect(body).toMatchObject({ org_id: orgs.acme, members: 3, members_truncated: false });
    expect([...body.member_list].sort((a, b) => (a.email < b.email ? -1 : 1))).toEqual([
      role("ann@acme.org", "member"),
      role("bob@acme.org", "member"),
      role("owner@acme.org", "owner"),
    ]);
  });

  test.runIf(isNight())("of more than 200 members shows 200 and says that there are more", async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 201; i++)
      ids.add(await orgIdOf(await api.token({ email: `m${i}@crowd.org`, role: "member", org: "crowd" })));
    const { body } = await get([...ids][0] ?? "");
    expect(body).toMatchObject({ members: 201, members_truncated: true });
    expect(new Set(body.member_list.map((member) => member.user_id)).size).toBe(200);
  });

  test.each([
    {
      name: "that there is not",
      id: "01890000-0000-7000-8000-000000000000",
      status: 404,
      slug: "org-not-found",
    },
    { name: "by an invalid id", id: "acme", status: 404, slug: "org-not-found" },
  ])("$name answers $status", async ({ id, status, slug }) => {
    const answer = await get(id);
    expect([answer.status, slugOf(answer.body)]).toEqual([status, slug]);
  });
});

describe("the inbox", () => {
  test("mixes contact messages with every org's feedback, newest first, page by page", async () => {
    const feedback = async (org: string, message: string) => {
      clock.at += 1_000;
      await api.call("POST", "/v1/feedback", {
        token: await owner(org),
        body: { message, category: "idea", page: "/" },
      });
    };
    const contact = async (message: string) => {
      clock.at += 1_000;
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ name: "Eve", email: "eve@example.org", message });
      await fetch(`${api.service.url}/v1/contact`, { method: "POST", headers, body });
    };
    await feedback("acme", "1");
    await contact("2");
    await feedback("globex", "3");
    await contact("4");
    const first = await api.call<Page<Record<string, unknown>>>("GET", "/v1/admin/inbox?limit=3");
    const id = expect.any(String);
    const at = expect.stringMatching(/^2026-11-21T12:00:0\d\.000Z$/);
    const from = { kind: "contact", id, at, name: "Eve", email: "eve@example.org", company: null };
    const author = (org: string) => ({ id, name: `owner@${org}.org`, email: `owner@${org}.org` });
    const idea = { kind: "feedback", id, at, org_name: expect.any(String), category: "idea", page: "/" };
    expect(first.body.items).toEqual([
      { ...from, message: "4" },
      { ...idea, org_id: orgs.globex, author: author("globex"), message: "3" },
      { ...from, message: "2" },
    ]);
    const rest = await api.call<Page<unknown>>(
      "GET",
      `/v1/admin/inbox?limit=3&cursor=${first.body.next_cursor}`,
    );
    expect(rest.body).toEqual({
      items: [{ ...idea, org_id: orgs.acme, author: author("acme"), message: "1" }],
      next_cursor: null,
    });
  });
});

test.each(["inbox", "overview", "orgs", "orgs/01890000-0000-7000-8000-000000000000"])(
  "/v1/admin/%s is the platform owner's alone",
  async (path) => {
    for (const role of ["member", "admin", "owner"] as const) {
      const token = await api.token({ email: `${role}@acme.org`, role, org: "acme" });
      const { status, body } = await api.call<WireProblem>("GET", `/v1/admin/${path}`, { token });
      expect([status, slugOf(body)]).toEqual([403, "platform-owner-required"]);
    }
    const key = await api.newKey("secret");
    expect((await api.call("GET", `/v1/admin/${path}`, { key })).status).toBe(401);
    expect((await fetch(`${api.service.url}/v1/admin/${path}`)).status).toBe(401);
  },
);
