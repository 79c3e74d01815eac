import { DAY_MS, dayOf } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const APP = "https://app.example.com";
const ELSEWHERE = "https://evil.example";

let now = Date.parse("2026-03-10T12:00:00.000Z");
let api: TestService;
let keys: { readonly publishable: string; readonly secret: string };
let experiment: WireExperiment;
beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  const body = experimentBody("watched");
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
});
afterAll(() => api.stop());

interface Summary {
  readonly scope: string;
  readonly allowed_origins: readonly string[] | null;
}

const put = (origins: unknown, token?: string) =>
  api.call<Summary & WireProblem>("PUT", "/v1/keys/publishable", {
    body: { allowed_origins: origins },
    ...(token !== undefined && { token }),
  });
const exposures = (count: number) =>
  Array.from({ length: count }, () => ({
    event_id: crypto.randomUUID(),
    type: "exposure",
    experiment_id: experiment.id,
    user_id: crypto.randomUUID(),
    timestamp: new Date(now).toISOString(),
  }));
const requests = {
  assign: () => ["POST", "/v1/assign", { experiment_id: experiment.id, user_id: "ann" }],
  events: () => ["POST", "/v1/events", exposures(1)],
  config: () => ["GET", "/v1/config", undefined],
} satisfies Readonly<Record<string, () => [method: string, path: string, body: unknown]>>;
type RouteName = keyof typeof requests;
const ROUTES = Object.keys(requests) as RouteName[];
const call = (route: RouteName, key: string, origin?: string) => {
  const [method, path, body] = requests[route]();
  return api.call<WireProblem>(method, path, { key, body, headers: origin === undefined ? {} : { origin } });
};

describe("the origins of the publishable key", () => {
  test("are not there to be set before there is a key", async () => {
    const { status, body } = await put([APP]);
    expect([status, slugOf(body)]).toEqual([404, "not-found"]);
    keys = { publishable: await api.newKey("publishable"), secret: await api.newKey("secret") };
  });

  test("are any, until an admin names some", async () => {
    const listed = await api.call<Summary[]>("GET", "/v1/keys");
    expect(listed.body.map(({ allowed_origins: origins }) => origins)).toEqual([null, null]);
    for (const route of ROUTES)
      expect((await call(route, keys.publishable, ELSEWHERE)).status).toBeLessThan(300);
    expect((await put([APP, "http://localhost:3000", APP])).body).toMatchObject({
      scope: "publishable",
      prefix: keys.publishable.slice(0, 12),
      allowed_origins: [APP, "http://localhost:3000"],
    });
  });

  test.each(ROUTES)("stop pages of others at %s, in words that their console shows", async (route) => {
    for (const origin of [ELSEWHERE, "null", `${APP}.evil.example`, "http://app.example.com"]) {
      const { status, headers, body } = await call(route, keys.publishable, origin);
      expect([status, slugOf(body)]).toEqual([403, "foreign-origin"]);
      expect(body.detail).toContain(`does not allow pages of ${origin}: an admin can add the origin`);
      expect(headers.get("access-control-allow-origin")).toBe("*");
    }
    expect((await call(route, keys.publishable, APP)).status).toBeLessThan(300);
  });

  test.each(ROUTES)("do not stop callers at %s that are not pages, or have the secret key", async (route) => {
    expect((await call(route, keys.publishable)).status).toBeLessThan(300);
    expect((await call(route, keys.secret, ELSEWHERE)).status).toBeLessThan(300);
  });

  test("stay when the key is replaced", async () => {
    keys = { ...keys, publishable: await api.newKey("publishable") };
    expect((await call("config", keys.publishable, ELSEWHERE)).status).toBe(403);
    expect((await call("config", keys.publishable, APP)).status).toBe(200);
  });

  test.each([
    { origins: [`${APP}/`], pointer: "/allowed_origins/0" },
    { origins: [APP, "app.example.com"], pointer: "/allowed_origins/1" },
    { origins: ["*"], pointer: "/allowed_origins/0" },
    { origins: [], pointer: "/allowed_origins" },
    { origins: APP, pointer: "/allowed_origins" },
  ])("cannot be $origins", async ({ origins, pointer }) => {
    const { status, body } = await put(origins);
    expect([status, slugOf(body)]).toEqual([400, "invalid-body"]);
    expect(body.errors?.map((fault) => fault.pointer)).toContain(pointer);
  });

  test("are any again with null; every change is audited with both lists", async () => {
    expect((await put(null)).body.allowed_origins).toBeNull();
    expect((await call("config", keys.publishable, ELSEWHERE)).status).toBe(200);
    interface Entry {
      readonly action: string;
      readonly diff: unknown;
    }
    const audit = await api.call<{ items: Entry[] }>("GET", "/v1/audit?target_id=publishable");
    const origins = [APP, "http://localhost:3000"];
    expect(
      audit.body.items.filter(({ action }) => action === "key.allowed-origins").map(({ diff }) => diff),
    ).toEqual([
      { allowed_origins: { from: origins, to: null } },
      { allowed_origins: { from: null, to: origins } },
    ]);
  });
});

test("days with far more of its events than usual are listed, whatever other keys send", async () => {
  const send = async (key: string, events: number) => {
    for (let sent = 0; sent < events; sent += 1_000) {
      const body = exposures(Math.min(1_000, events - sent));
      expect((await api.call("POST", "/v1/events", { key, body })).status).toBe(202);
    }
  };
  const unusual = async () =>
    (await api.call<{ items: unknown }>("GET", "/v1/keys/publishable/unusual-days")).body;
  await send(keys.publishable, 5);
  now += 28 * DAY_MS;
  await send(keys.secret, 3_000);
  await send(keys.publishable, 1_000);
  await api.restart();
  expect(await unusual()).toEqual({ items: [] });
  await send(keys.publishable, 1);
  await api.restart();
  expect(await unusual()).toEqual({ items: [{ day: dayOf(now), events: 1_001, limit: 1_000 }] });
  const stranger = await api.token({ email: "stranger@elsewhere.org", org: "strangers" });
  const theirs = await api.call("GET", "/v1/keys/publishable/unusual-days", { token: stranger });
  expect(theirs.body).toEqual({ items: [] });
});
