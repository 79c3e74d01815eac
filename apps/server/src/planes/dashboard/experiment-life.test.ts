import { DAY_MS, toStoredEvent } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { onStoppedStores } from "../../test-support/stopped-stores.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Overview {
  readonly items: readonly {
    readonly id: string;
    readonly state: string;
    readonly former_names: readonly string[];
  }[];
}
interface Ack {
  readonly accepted: number;
  readonly rejected: readonly unknown[];
}

const WITHIN = { timeout: 80_000, interval: 100 };
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

let count = 0;
const create = async (change: Readonly<Record<string, unknown>> = {}) => {
  const body = experimentBody(`life-${++count}`, change);
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
};
const put = ({ id }: WireExperiment, body: unknown) =>
  api.call<WireExperiment & WireProblem>("PUT", `/v1/experiments/${id}`, { body });
const archive = async (experiment: WireExperiment) => {
  await put(experiment, { status: "stopped" });
  return put(experiment, { status: "archived" });
};
const remove = ({ id }: WireExperiment, token?: string) =>
  api.call<WireProblem>("DELETE", `/v1/experiments/${id}`, token === undefined ? {} : { token });
const assign = async (experiment: string) =>
  (
    await api.call<{ variant: string | null } & WireProblem>("POST", "/v1/assign", {
      key,
      body: { experiment_id: experiment, user_id: "ann" },
    })
  ).body;
const send = async (experiment: string, userId = "ann") => {
  const event = { event_id: crypto.randomUUID(), type: "exposure", timestamp: new Date().toISOString() };
  const body = [{ ...event, experiment_id: experiment, user_id: userId }];
  return (await api.call<Ack>("POST", "/v1/events", { key, body })).body;
};
/** Gives an experiment a run with rows: 60 users, of whom every third bought. */
async function analyze(experiment: WireExperiment): Promise<void> {
  const body = Array.from({ length: 60 }, (_, index) => {
    const about = { experiment_id: experiment.id, user_id: `u-${index}`, timestamp: Date.now() };
    const exposure = { ...about, event_id: crypto.randomUUID(), type: "exposure" };
    const outcome = { ...about, event_id: crypto.randomUUID(), type: "business_event" };
    return index % 3 === 0 ? [exposure, { ...outcome, business_metric: "bought" }] : [exposure];
  }).flat();
  expect((await api.call<Ack>("POST", "/v1/events", { key, body })).body.rejected).toEqual([]);
  await expect.poll(() => exposuresOf(experiment), WITHIN).toBe(60);
  await api.call("POST", `/v1/experiments/${experiment.id}/analyze`);
}
const exposuresOf = async ({ id }: WireExperiment) =>
  (await api.call<{ exposures: number }>("GET", `/v1/experiments/${id}/overview`)).body.exposures;
/** Ids of the experiments that a list has. */
const idsOf = async (path: string) => {
  type Items = readonly { readonly id?: string; readonly experiment_id?: string }[];
  const { body } = await api.call<{ readonly items: Items } | Items>("GET", path);
  return ("items" in body ? body.items : body).map(({ id, experiment_id }) => id ?? experiment_id);
};

describe("a renamed experiment", () => {
  test("answers to its former names, and loses no event of a running client", async () => {
    const experiment = await create();
    const before = await assign(experiment.name);
    await put(experiment, { name: `${experiment.name}-b` });
    await put(experiment, { name: `${experiment.name}-c` });
    for (const name of [experiment.name, `${experiment.name}-b`, `${experiment.name}-c`, experiment.id]) {
      expect((await assign(name)).variant).toBe(before.variant);
      expect(await send(name, name)).toMatchObject({ accepted: 1, rejected: [] });
    }
    await expect.poll(() => exposuresOf(experiment), WITHIN).toBe(4);
    const { body } = await api.call<Overview["items"][number]>(
      "GET",
      `/v1/experiments/${experiment.id}/overview`,
    );
    expect(body.former_names).toEqual([`${experiment.name}-b`, experiment.name]);
    const { items } = (await api.call<Overview>("GET", "/v1/overview")).body;
    expect(items.find(({ id }) => id === experiment.id)?.former_names).toEqual(body.former_names);
  });

  test("keeps a former name while it runs, and gives it up to another experiment afterwards", async () => {
    const [one, two] = [await create(), await create()];
    await put(one, { name: `${one.name}-renamed` });
    const refused = [
      await put(two, { name: one.name }),
      await api.call<WireProblem>("POST", "/v1/experiments", { body: experimentBody(one.name) }),
    ];
    for (const { status, body } of refused) {
      expect([status, slugOf(body)]).toEqual([409, "experiment-name-taken"]);
      expect(body.detail).toContain(`former name of the running experiment "${one.name}-renamed"`);
    }
    await put(one, { status: "stopped" });
    expect((await assign(one.name)).variant).toBeNull();
    expect((await put(two, { name: one.name })).status).toBe(200);
    expect((await assign(one.name)).variant).not.toBeNull();
    await put(two, { status: "stopped" });
    expect((await assign(one.name)).variant).toBeNull();
  });
});

describe("an archived experiment", () => {
  test("assigns nobody, keeps its decision, and goes back to stopped", async () => {
    const experiment = await create();
    const decision = { outcome: "won", variant: "treatment", note: null };
    await put(experiment, { status: "stopped", decision });
    const archived = await put(experiment, { status: "archived" });
    expect(archived.body).toMatchObject({ status: "archived", version: 3, decision });
    expect((await assign(experiment.id)).variant).toBeNull();
    const read = await api.call<WireExperiment>("GET", `/v1/experiments/${experiment.id}`);
    expect(read.body).toMatchObject({ status: "archived", decision });
    expect((await put(experiment, { status: "stopped" })).body).toMatchObject({
      status: "stopped",
      decision,
    });
  });

  test("is in lists only on request", async () => {
    const [draft, running, stopped, archived] = [
      await create({ status: "draft" }),
      await create(),
      await create({ status: "stopped" }),
      await create(),
    ];
    for (const experiment of [running, archived]) await analyze(experiment);
    await archive(archived);
    const all = [draft, running, stopped, archived].map(({ id }) => id);
    const shown = async (path: string) => (await idsOf(path)).filter((id) => all.includes(id ?? ""));
    for (const path of ["/v1/experiments", "/v1/overview"]) {
      expect(await shown(path)).toEqual([stopped.id, running.id, draft.id]);
      for (const one of [draft, running, stopped])
        expect(await shown(`${path}?status=${one.status}`)).toEqual([one.id]);
      expect(await shown(`${path}?status=archived`)).toEqual([archived.id]);
      const wrong = await api.call<WireProblem>("GET", `${path}?status=gone`);
      expect([wrong.status, slugOf(wrong.body)]).toEqual([400, "invalid-query"]);
    }
    expect(await shown("/v1/results/summary")).toEqual([running.id]);
    expect(await shown("/v1/results/summary?status=archived")).toEqual([archived.id]);
    const { items } = (await api.call<Overview>("GET", "/v1/overview?status=archived")).body;
    expect(items.find(({ id }) => id === archived.id)?.state).toBe("archived");
  });

  test.each([
    { from: ["running"], to: "archived", detail: 'set the status to "stopped" first' },
    { from: ["stopped", "archived"], to: "running", detail: "unarchive it first" },
    { from: ["draft", "archived"], to: "draft", detail: "unarchive it first" },
  ])("$from to $to is refused with a pointer to the status", async ({ from, to, detail }) => {
    const [first, ...later] = from;
    const experiment = await create({ status: first });
    for (const status of later) expect((await put(experiment, { status })).status).toBe(200);
    const { status, body } = await put(experiment, { status: to });
    expect([status, slugOf(body)]).toEqual([400, "invalid-body"]);
    expect(body.errors).toMatchObject([{ pointer: "/status", detail: expect.stringContaining(detail) }]);
  });
});

describe("deleting", () => {
  test("takes everything with it, and leaves the audit and a free name", async () => {
    const [experiment, other] = [await create(), await create()];
    for (const { id } of [experiment, other]) await send(id);
    await expect.poll(() => exposuresOf(experiment), WITHIN).toBe(1);
    await expect.poll(() => exposuresOf(other), WITHIN).toBe(1);
    await api.call("POST", `/v1/experiments/${experiment.id}/analyze`);
    await archive(experiment);
    expect((await remove(experiment)).status).toBe(204);
    for (const path of ["", "/overview", "/versions", "/results", "/traffic"]) {
      const { status, body } = await api.call<WireProblem>("GET", `/v1/experiments/${experiment.id}${path}`);
      expect([path, status, slugOf(body)]).toEqual([path, 404, "experiment-not-found"]);
    }
    expect(slugOf((await remove(experiment)).body)).toBe("experiment-not-found");
    expect(slugOf((await assign(experiment.name)) as WireProblem)).toBe("experiment-not-found");
    expect(await send(experiment.id)).toMatchObject({ accepted: 0 });
    expect(await idsOf("/v1/overview?status=archived")).not.toContain(experiment.id);
    expect(await exposuresOf(other)).toBe(1);
    const audit = await api.call<{ items: readonly object[] }>("GET", `/v1/audit?target_id=${experiment.id}`);
    expect(audit.body.items[0]).toMatchObject({
      action: "experiment.delete",
      summary: `Deleted the experiment "${experiment.name}".`,
    });
    const again = experimentBody(experiment.name);
    expect((await api.call("POST", "/v1/experiments", { body: again })).status).toBe(201);
    const { org_id: orgId } = (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body;
    await onStoppedStores(api, async ({ control, events, countRaw }) => {
      expect(await events.traffic({ orgId, experimentId: experiment.id, exclusions: [] })).toEqual([]);
      await vi.waitFor(async () => expect(await countRaw(experiment.id)).toBe(0), WITHIN);
      expect(await countRaw(other.id)).toBe(1);
      expect(await control.results.listLabels(orgId, experiment.id)).toEqual([]);
    });
  });

  test("a draft needs no archiving", async () => {
    expect((await remove(await create({ status: "draft" }))).status).toBe(204);
  });

  test.each([
    { status: "running", says: "stop it, archive it, then delete it" },
    { status: "stopped", says: "archive it, then delete it" },
  ])("one that is $status is refused with what to do", async ({ status, says }) => {
    const experiment = await create({ status });
    const answer = await remove(experiment);
    expect([answer.status, slugOf(answer.body)]).toEqual([409, "experiment-not-deletable"]);
    expect(answer.body.detail).toContain(says);
    expect((await api.call("GET", `/v1/experiments/${experiment.id}`)).status).toBe(200);
  });

  test("is for admins", async () => {
    const token = await api.token({ email: "member@team.org", role: "member" });
    const answer = await remove(await create({ status: "draft" }), token);
    expect([answer.status, slugOf(answer.body)]).toEqual([403, "role-required"]);
  });

  test("events that are still in the queue make no dead letters and do not come back", async () => {
    const experiment = await create({ status: "draft" });
    const { org_id: orgId } = (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body;
    const sending = Promise.all(Array.from({ length: 40 }, (_, index) => send(experiment.id, `u-${index}`)));
    const [{ status }] = await Promise.all([remove(experiment), sending]);
    expect(status).toBe(204);
    // A batch of a process that knew the experiment when it accepted the events.
    await onStoppedStores(api, async ({ queue, events }) => {
      expect(await events.traffic({ orgId, experimentId: experiment.id, exclusions: [] })).toEqual([]);
      const event = { event_id: "late", type: "exposure", experiment_id: experiment.id, user_id: "ann" };
      const body = Buffer.from(JSON.stringify([{ ...event, timestamp: new Date().toISOString() }]));
      const experiments = { [experiment.id]: experiment.id };
      await queue.append({ orgId, receivedAt: Date.now(), rejected: [], experiments }, body);
    });
    const backlog = async () =>
      (await api.call<{ queue: { batches: number } }>("GET", "/v1/admin/health")).body.queue.batches;
    await expect.poll(backlog, WITHIN).toBe(0);
    expect((await api.call<{ count: number }>("GET", "/v1/admin/dead-letters")).body.count).toBe(0);
    await onStoppedStores(api, async ({ events, countRaw }) => {
      expect(await events.traffic({ orgId, experimentId: experiment.id, exclusions: [] })).toEqual([]);
      await vi.waitFor(async () => expect(await countRaw(experiment.id)).toBe(0), WITHIN);
    });
  });

  test("what a crash left of one is removed when the service runs again", async () => {
    const { org_id: orgId } = (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body;
    const experimentId = crypto.randomUUID();
    await onStoppedStores(api, async ({ control, events }) => {
      const row = { event_id: crypto.randomUUID(), type: "exposure", user_id: "ann", timestamp: Date.now() };
      const attribute = () => ({ arm: "control", owner: "control", reason: null });
      const context = { orgId, experimentId, receivedAt: Date.now(), provenance: null, attribute };
      await events.append([toStoredEvent(row, context)]);
      expect(await events.traffic({ orgId, experimentId, exclusions: [] })).toHaveLength(1);
      await control.experiments.putRemoval({ orgId, experimentId, removedAt: Date.now() - 2 * DAY_MS });
    });
    const control = api.openControl();
    await expect.poll(() => control.experiments.listRemovals(), WITHIN).not.toMatchObject([{ experimentId }]);
    await control.close();
    await onStoppedStores(api, async ({ events }) =>
      expect(await events.traffic({ orgId, experimentId, exclusions: [] })).toEqual([]),
    );
  });
});
