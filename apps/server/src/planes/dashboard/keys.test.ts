import { toInstant } from "@assay/domain";
import { expect, test } from "vitest";
import { experimentBody } from "../../test-support/experiments.ts";
import { openTestService } from "../../test-support/test-service.ts";

interface Key {
  readonly scope: string;
  readonly prefix: string | null;
  readonly last_used_at: string | null;
  readonly last_browser_use_at: string | null;
}

test("a listed key shows how it begins, and when it was last used, whatever it was used for", async () => {
  let now = Date.parse("2026-03-10T12:00:00.000Z");
  const api = await openTestService({}, { now: () => now });
  const listed = async (token?: string) =>
    (await api.call<Key[]>("GET", "/v1/keys", token === undefined ? {} : { token })).body;
  const find = async (wanted: string) => (await listed()).find(({ scope }) => scope === wanted);
  const experiment = await api.call<{ id: string }>("POST", "/v1/experiments", { body: experimentBody("e") });
  const keys = { secret: await api.newKey("secret"), publishable: await api.newKey("publishable") };
  const stranger = await api.token({ email: "stranger@elsewhere.org", org: "strangers" });
  await api.call("POST", "/v1/keys", { token: stranger, body: { scope: "secret" } });
  for (const scope of ["secret", "publishable"] as const) {
    const prefix = keys[scope].slice(0, 12);
    expect(prefix).toMatch(/^svc_[sp]k_.{5}$/);
    expect(await find(scope)).toMatchObject({ prefix, last_used_at: null });
  }

  const assignment = { experiment_id: experiment.body.id, user_id: "ann" };
  const used: Record<string, string> = {};
  const use = async (key: string, method: string, path: string, body?: unknown) => {
    now += 1_000;
    return (await api.call(method, path, { key, ...(body !== undefined && { body }) })).status;
  };
  expect(await use(keys.secret, "POST", "/v1/events", [{ nonsense: true }])).toBe(202);
  expect(await use(keys.publishable, "GET", "/v1/config")).toBe(200);
  const page = { "x-api-key": keys.publishable, origin: "https://app.example.com" };
  now += 1_000;
  expect((await fetch(`${api.service.url}/v1/config`, { headers: page })).status).toBe(200);
  const browserUse = toInstant(now);
  expect(await use(keys.publishable, "POST", "/v1/assign", assignment)).toBe(200);
  used.publishable = toInstant(now);
  expect(await use(keys.secret, "POST", "/v1/events/import", [])).toBe(200);
  used.secret = toInstant(now);
  // Neither a key of the wrong scope nor one that nobody has is in use.
  expect(await use(keys.publishable, "POST", "/v1/events/import", [])).toBe(401);
  expect(await use("svc_sk_nobodys", "GET", "/v1/config")).toBe(401);
  now += 3_600_000;
  await api.restart();
  for (const scope of ["secret", "publishable"])
    expect(await find(scope)).toMatchObject({ last_used_at: used[scope] });
  expect(await find("publishable")).toMatchObject({ last_browser_use_at: browserUse });
  expect(await find("secret")).toMatchObject({ last_browser_use_at: null });
  expect(await listed(stranger)).toMatchObject([{ scope: "secret", last_used_at: null }]);

  const next = await api.newKey("secret");
  expect(await find("secret")).toMatchObject({ prefix: next.slice(0, 12), last_used_at: null });
  expect(await find("publishable")).toMatchObject({ last_used_at: used.publishable });
  await api.restart();
  expect(await find("secret")).toMatchObject({ last_used_at: null });
  await api.stop();
});
