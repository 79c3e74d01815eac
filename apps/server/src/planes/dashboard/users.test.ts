import { join } from "node:path";
import { toInstant } from "@assay/domain";
import SqliteFile from "better-sqlite3";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runsOnServers } from "../../../../../tests/servers/fresh-engines.ts";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { judgeCalls } from "../../test-support/judge-calls.ts";
import { onStoppedStores } from "../../test-support/stopped-stores.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const HOUR_MS = 3_600_000;
const WAIT_MS = 60_000;
/** Hard to put into an address, and easy to find in a log. */
const ANN = `ann-who-left/?#%2F"é${"🙂".repeat(236)}`;
const SECRET = "my diagnosis is";

let now = Date.now();
let api: TestService;
let key: string;
let orgId: string;
let experiments: readonly WireExperiment[];
beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  key = await api.newKey("secret");
  orgId = (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body.org_id;
  experiments = [await makeExperiment("first"), await makeExperiment("second")];
  // In two versions, and in the config that is in memory.
  for (const change of [{ qa_users: { treatment: [ANN, "bob"] } }, { description: "d" }])
    await changeSecond(change);
});
afterAll(() => api.stop());

async function makeExperiment(name: string, token?: string): Promise<WireExperiment> {
  const judge = { rubric: "Is it good?" };
  const metrics = [metricBody("tone", { kind: "ratio", category: "quality", judge })];
  const body = experimentBody(name, { metrics });
  const options = { body, ...(token !== undefined && { token }) };
  return (await api.call<WireExperiment>("POST", "/v1/experiments", options)).body;
}

const changeSecond = (body: object) => api.call("PUT", `/v1/experiments/${experiments[1]!.id}`, { body });

const pathOf = (userId: string) => `/v1/users/${encodeURIComponent(userId)}`;

interface Line {
  readonly event_id: string;
  readonly experiment_id: string;
  readonly judgements: readonly object[];
  readonly [field: string]: unknown;
}

async function exported(userId: string, token?: string): Promise<readonly Line[]> {
  const { status, headers, body } = await api.call<string | null>("GET", `${pathOf(userId)}/events`, {
    ...(token !== undefined && { token }),
  });
  expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  return (body ?? "").split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
}
const idsOf = async (userId: string, token?: string) =>
  (await exported(userId, token)).map(({ event_id: id }) => id).sort();

async function send(events: readonly object[], with_ = key): Promise<void> {
  const ack = await api.call<{ accepted: number }>("POST", "/v1/events", { key: with_, body: events });
  expect(ack.body.accepted).toBe(events.length);
}
const call = (eventId: string, userId: string, { id }: WireExperiment, more = {}) => ({
  ...{ event_id: eventId, type: "model_call", user_id: userId, experiment_id: id, variant: "control" },
  ...{ timestamp: toInstant(now), prompt: `${SECRET} ${eventId}`, response: "noted", ...more },
});

const auditOf = async (targetId: string) => {
  const { body } = await api.call<{ items: readonly { action: string }[] }>(
    "GET",
    `/v1/audit?target_id=${targetId}`,
  );
  return body.items.map(({ action }) => action);
};

interface Accepted {
  readonly fingerprint: string;
  readonly requested_at: string;
  readonly due_at: string;
  readonly detail: string;
}
const erase = (userId: string) => api.call<Accepted & WireProblem>("DELETE", pathOf(userId));

test("a person's events are streamed over all experiments, whole, with what judges and people said", async () => {
  const [first, second] = experiments as [WireExperiment, WireExperiment];
  const events = Array.from({ length: 120 }, (_, i) => call(`x${i}`, "everybody", i % 2 ? first : second));
  const mine = call("mine", ANN, first, { metadata: { a: [1, null] }, latency_ms: 812.5 });
  await send([...events, mine, call("bobs", "bob", first)]);
  await judgeCalls(api, { experimentId: first.id, metric: "tone" }, [
    { eventId: "mine", userId: ANN, arm: "control", score: 1 },
  ]);
  await vi.waitFor(async () => expect(await exported("everybody")).toHaveLength(120), WAIT_MS);
  expect(await idsOf("everybody")).toEqual(events.map(({ event_id: id }) => id).sort());
  const [line, ...others] = await exported(ANN);
  expect(others).toEqual([]);
  expect(line).toMatchObject({
    ...{ experiment_id: first.id, user_id: ANN, metadata: { a: [1, null] }, latency_ms: 812.5 },
    ...{ prompt: `${SECRET} mine`, response: "noted", is_raw: true, cost_usd: null },
    judgements: [{ metric: "tone", score: 1, reason: "It deserves 1." }],
  });
  expect(await exported("nobody")).toEqual([]);
  // A stored run, which the last test searches for them.
  expect((await api.call("POST", `/v1/experiments/${first.id}/analyze`)).status).toBe(200);
});

test("an erasure takes a person's events, judgements and dead letters, and nobody else's", async () => {
  const [first] = experiments as [WireExperiment, WireExperiment];
  const stranger = () => api.token({ email: "stranger@elsewhere.org", org: "strangers" });
  const theirs = await makeExperiment("theirs", await stranger());
  const made = await api.call<{ key: string }>("POST", "/v1/keys", {
    token: await stranger(),
    body: { scope: "secret" },
  });
  await send([call("elsewhere", ANN, theirs)], made.body.key);
  await vi.waitFor(async () => expect(await idsOf(ANN, await stranger())).toEqual(["elsewhere"]), WAIT_MS);
  const used = async () =>
    (await api.call<{ events: { used: number } }>("GET", "/v1/usage")).body.events.used;
  const usedBefore = await used();
  await bury([call("buried", ANN, first), call("buried with it", "bob", first)]);

  const { status, body } = await erase(ANN);
  expect([status, body]).toEqual([
    202,
    {
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      requested_at: toInstant(now),
      due_at: toInstant(now + 24 * HOUR_MS),
      detail: expect.stringContaining("will be removed"),
    },
  ]);
  now += 1;
  await send([call("new", ANN, first), call("mine", ANN, first)]);
  // The request is on disk: a start applies it at once, and another, an hour later, completes it.
  await api.restart();
  await vi.waitFor(async () => expect(await idsOf(ANN)).toEqual(["new"]), WAIT_MS);
  expect(await letterBodies()).toBe(JSON.stringify([null, call("buried with it", "bob", first)]).length);
  await api.call("POST", "/v1/admin/dead-letters/replay", { body: {} });
  await vi.waitFor(async () => expect(await idsOf("bob")).toEqual(["bobs", "buried with it"]), WAIT_MS);
  expect(new Set(await auditOf(body.fingerprint))).toEqual(new Set(["user.erase", "user.export"]));

  now += HOUR_MS;
  await api.restart();
  await vi.waitFor(async () => expect((await auditOf(body.fingerprint))[0]).toBe("user.erased"), WAIT_MS);
  expect([await idsOf(ANN), await idsOf(ANN, await stranger())]).toEqual([["new"], ["elsewhere"]]);
  expect(await used()).toBe(usedBefore + 2);
  expect(await judged(first)).toEqual([]);
  const second = await api.call<object>("GET", `/v1/experiments/${experiments[1]!.id}`);
  expect(second.body).toMatchObject({ version: 3, qa_users: { treatment: ["bob"] } });
  // Neither the log nor the audit contains their ids, plain or in an address.
  expect(api.logged()).not.toMatch(/ann-who-left|diagnosis/);
});

async function bury(rows: readonly { readonly experiment_id: string }[]): Promise<void> {
  const [{ experiment_id: id }] = rows as [{ experiment_id: string }];
  await onStoppedStores(api, async ({ queue }) => {
    const header = { orgId, receivedAt: now, rejected: [], experiments: { [id]: id } };
    await queue.append(header, Buffer.from(JSON.stringify(rows)));
    await queue.waitForBatch(10_000);
    await queue.bury(await queue.claim(10, 1e9), "for a test");
  });
}

async function letterBodies(): Promise<number> {
  interface Letters {
    readonly items: readonly { readonly bytes: number }[];
  }
  const { body } = await api.call<Letters>("GET", "/v1/admin/dead-letters");
  return body.items.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function judged({ id }: WireExperiment): Promise<readonly object[]> {
  const { body } = await api.call<{ items: readonly object[] }>("GET", `/v1/experiments/${id}/judgements`);
  return body.items;
}

test.skipIf(runsOnServers)("no row of the control plane names an erased person", async () => {
  await api.service.close();
  const file = new SqliteFile(join(api.dataDir, "control.sqlite"), { readonly: true });
  const tables = file
    .prepare<[], string>("select name from sqlite_master where type = 'table'")
    .pluck()
    .all();
  expect(tables).toContain("judgements");
  const naming = tables.filter((table) =>
    file
      .prepare<[], object>(`select * from "${table}"`)
      .all()
      .some((row) => /ann-who-left/.test(JSON.stringify(row))),
  );
  file.close();
  await api.restart();
  expect(naming).toEqual([]);
});

test("an id that no event can have is nobody's", async () => {
  const { status, body } = await erase("🙂".repeat(257));
  expect([status, slugOf(body)]).toEqual([404, "not-found"]);
});
