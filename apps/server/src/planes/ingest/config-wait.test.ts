import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody, type WireExperiment } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

/** Long enough that a test which waits it out is stuck. */
const LONG = 50;

let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("publishable");
});
afterAll(() => api.stop());

let count = 0;
const create = async () =>
  (await api.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody(`wait-${++count}`) }))
    .body;
const put = ({ id }: WireExperiment) =>
  api.call("PUT", `/v1/experiments/${id}`, { body: { description: `${++count}`, coverage: 1 / count } });
const get = (query: string, etag = "", signal: AbortSignal | null = null) =>
  fetch(`${api.service.url}/v1/config${query}`, {
    headers: { "x-api-key": key, "if-none-match": etag },
    signal,
  });
const etagOf = async (query = "") => (await get(query)).headers.get("etag")!;
const waits = () => sleep(300, "waits" as const);

describe("a config that is asked to wait", () => {
  test("answers when something changes, and at once when something has changed", async () => {
    const experiment = await create();
    const etag = await etagOf();
    const answer = get(`?wait=${LONG}`, etag);
    expect(await Promise.race([answer, waits()])).toBe("waits");
    await put(experiment);
    const { status, headers } = await answer;
    expect([status, headers.get("etag") === etag]).toEqual([200, false]);
    expect((await get(`?wait=${LONG}`, etag)).status).toBe(200);
    expect((await get(`?wait=${LONG}`)).status).toBe(200);
  });

  test("answers 304 after its time, which is no part of the request's duration", async () => {
    const etag = await etagOf();
    const since = performance.now();
    expect((await get("?wait=3", etag)).status).toBe(304);
    expect(performance.now() - since).toBeGreaterThan(2_900);
    expect(api.logged()).not.toContain("a request was slow");
  });

  test("of some experiments answers after any change, since their ETag counts all of the config", async () => {
    const [mine, other] = [await create(), await create()];
    const query = `?experiments=${mine.id}`;
    const etag = await etagOf(query);
    const answer = get(`${query}&wait=${LONG}`, etag);
    await put(other);
    expect((await answer).status).toBe(200);
  });

  test.each(["51", "-1", "1.5", "soon"])("refuses a time of %s", async (wait) => {
    const answer = await get(`?wait=${wait}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("wait");
  });

  test("forgets a client that is gone, and ends with the service", async () => {
    const etag = await etagOf();
    const gone = new AbortController();
    const left = get(`?wait=${LONG}`, etag, gone.signal).catch((error: Error) => error.name);
    await waits();
    gone.abort();
    expect(await left).toBe("AbortError");
    const answer = get(`?wait=${LONG}`, etag);
    await waits();
    await api.restart();
    expect((await answer).status).toBe(304);
  });
});
