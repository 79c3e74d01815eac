import { DAY_MS } from "@assay/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Link {
  readonly id: string;
  readonly path: string;
  readonly expires_at: string;
}
interface Links {
  readonly allowed: boolean;
  readonly items: readonly { readonly id: string; readonly path?: string }[];
}

let api: TestService;
let experiment: WireExperiment;
let later = 0;

beforeAll(async () => {
  api = await openTestService({}, { now: () => Date.now() + later });
  const variants = [{ key: "control", prompt: "At length." }, { key: "treatment" }];
  const body = experimentBody("shared", { hypothesis: "Shorter is better.", variants });
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
});
afterAll(() => api.stop());
beforeEach(async () => {
  later = 0;
  await allow(true);
});

const path = () => `/v1/experiments/${experiment.id}/report-links`;
const make = (body: object = {}) => api.call<Link & WireProblem>("POST", path(), { body });
const list = async () => (await api.call<Links>("GET", path())).body;
const allow = (allowed: boolean) => api.call("PUT", "/v1/report-link-setting", { body: { allowed } });
const tokenOf = ({ path: shown }: Link) => shown.replace("/shared#", "");

/** Without any credential. */
async function read(token: string) {
  const response = await fetch(`${api.service.url}/v1/shared-report`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as WireProblem };
}

describe("a link to a report", () => {
  test("shows only the report to anybody who has it; the list does not show its token", async () => {
    const { status, body: link } = await make();
    expect(status).toBe(201);
    expect(Date.parse(link.expires_at) - Date.now()).toBeGreaterThan(6.9 * DAY_MS);
    const report = await read(tokenOf(link));
    expect(report.status).toBe(200);
    expect(report.headers.get("cache-control")).toBe("no-store");
    expect(report.body).toMatchObject({
      experiment: { name: "shared", hypothesis: "Shorter is better." },
      overview: { state: "no-traffic", created_by: null },
      results: null,
      versions: [{ version: 1, created_by: null }],
    });
    const { allowed, items } = await list();
    expect([allowed, items.find(({ id }) => id === link.id)?.path]).toEqual([true, undefined]);
    // The token is not a credential for any other route.
    expect((await api.call("GET", `/v1/experiments/${experiment.id}`, { token: tokenOf(link) })).status).toBe(
      401,
    );
  });

  test.each([
    ["another signature", (token: string) => token.replace(/.$/, (last) => (last === "0" ? "1" : "0"))],
    ["another id", (token: string) => token.replace(/^./, (first) => (first === "0" ? "1" : "0"))],
    ["no signature", (token: string) => token.split(".")[0]!],
    ["something more", (token: string) => `${token}0`],
    ["nonsense", () => "🧪"],
  ])("with %s shows nothing", async (_what, change) => {
    const { body: link } = await make();
    const { status, body } = await read(change(tokenOf(link)));
    expect([status, slugOf(body)]).toEqual([404, "report-link-not-found"]);
  });

  test("shows nothing once it has expired, and is gone then", async () => {
    const { body: link } = await make({ expires_in_days: 1 });
    later = DAY_MS;
    expect((await read(tokenOf(link))).status).toBe(404);
    expect((await list()).items.map(({ id }) => id)).not.toContain(link.id);
  });

  test("shows nothing once it is revoked, by its own org only", async () => {
    const { body: link } = await make();
    const token = await api.token({ email: "stranger@elsewhere.org", org: "strangers" });
    expect((await api.call("DELETE", `${path()}/${link.id}`, { token })).status).toBe(404);
    expect((await read(tokenOf(link))).status).toBe(200);
    expect((await api.call("DELETE", `${path()}/${link.id}`)).status).toBe(204);
    expect((await read(tokenOf(link))).status).toBe(404);
    expect((await api.call("DELETE", `${path()}/${link.id}`)).status).toBe(404);
  });

  test("shows nothing while an admin forbids links, and none is made; members cannot forbid", async () => {
    const { body: link } = await make();
    const member = await api.token({ email: "member@team.org", role: "member" });
    const setting = { body: { allowed: false }, token: member };
    expect((await api.call("PUT", "/v1/report-link-setting", setting)).status).toBe(403);
    await allow(false);
    expect((await read(tokenOf(link))).status).toBe(404);
    const { status, body } = await make();
    expect([status, slugOf(body)]).toEqual([403, "report-links-forbidden"]);
    expect((await list()).allowed).toBe(false);
    await allow(true);
    expect((await read(tokenOf(link))).status).toBe(200);
  });

  test("is valid for 90 days at most, and an experiment has 50 at most", async () => {
    expect((await make({ expires_in_days: 91 })).status).toBe(400);
    let last = await make();
    while (last.status === 201) last = await make();
    expect([last.status, slugOf(last.body)]).toEqual([409, "too-many-report-links"]);
    expect((await list()).items).toHaveLength(50);
  });

  test("is audited when it is made, revoked, allowed and forbidden", async () => {
    const { body } = await api.call<{ items: { action: string; summary: string }[] }>(
      "GET",
      "/v1/audit?limit=200",
    );
    const actions = new Set(body.items.map(({ action }) => action));
    for (const action of ["report-link.create", "report-link.revoke", "org.report-links"])
      expect(actions).toContain(action);
    expect(JSON.stringify(body)).not.toMatch(/[0-9a-f]{64}/);
    expect(api.logged()).not.toMatch(/\.[0-9a-f]{64}/);
  });
});
