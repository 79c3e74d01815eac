import { afterAll, beforeAll, expect, test } from "vitest";
import { parseSettings } from "../../settings.ts";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

/** No bucket refills by itself, however long the requests take. */
let now = Date.now();
let api: TestService;
let id: string;
beforeAll(async () => {
  const { rateLimits } = parseSettings({});
  api = await openTestService(
    { rateLimits: { ...rateLimits, analysesPerMinute: 1, searchesPerMinute: 1 } },
    { now: () => now },
  );
  id = (await api.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody("costly") })).body
    .id;
});
afterAll(() => api.stop());

const at = (path: string) => `/v1/experiments/${id}${path}`;
const analyze = () => api.call<WireProblem>("POST", at("/analyze"));
const runAgain = () => api.call<WireProblem>("POST", at("/runs"), { body: { day: "2026-01-01" } });
const replay = () => api.call<WireProblem>("POST", at("/replay"));
const search = (query = "text=a") => api.call<WireProblem>("GET", at(`/events?${query}`));

test("analyses that people start are counted by org, whichever they are", async () => {
  expect((await analyze()).status).toBe(200);
  expect((await runAgain()).status).toBeLessThan(429);
  for (const refused of [await analyze(), await runAgain(), await replay()]) {
    expect([refused.status, slugOf(refused.body)]).toEqual([429, "rate-limited"]);
    expect(refused.body.detail).toBe(
      "The limit of 1 analyses a minute for this organization is reached: try again in 60 s.",
    );
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(refused.headers.get("ratelimit-policy")).toBe('"analyses";q=1;w=60');
  }
  now += 60_000;
  expect((await replay()).status).toBe(200);
  expect((await analyze()).status).toBe(429);
});

test("searches for a text are counted by org; other filters are not", async () => {
  for (let request = 0; request < 2; request++) expect((await search()).status).toBe(200);
  const refused = await search();
  expect([refused.status, slugOf(refused.body)]).toEqual([429, "rate-limited"]);
  expect(refused.body.detail).toContain("1 searches a minute for this organization");
  expect(refused.headers.get("retry-after")).toBe("60");
  expect((await search("user_id=a")).status).toBe(200);
  const elsewhere = { token: await api.token({ email: "o@elsewhere.org", org: "elsewhere" }) };
  const other = await api.call<WireExperiment>("POST", "/v1/experiments", {
    body: experimentBody("theirs"),
    ...elsewhere,
  });
  const theirs = `/v1/experiments/${other.body.id}/events?text=a`;
  expect((await api.call("GET", theirs, elsewhere)).status).toBe(200);
});
