import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { newTraceId, spanIdOf } from "../test-support/otlp-bodies.ts";
import { sendOtlp } from "../test-support/send-otlp.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

/** The evening before the night that analyzes it. */
let now = Date.UTC(2026, 4, 5, 20);
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

interface Traffic {
  readonly flag: string;
  /** Whether the collector keeps the trace of the arm's n-th user. */
  readonly keeps: (variant: string, n: number) => boolean;
}

/** Everybody's evaluation is a log record, and makes one call; the collector keeps some of the traces. */
async function sendTraffic({ flag, keeps }: Traffic): Promise<void> {
  const users = Array.from({ length: 600 }, (_, index) => {
    const variant = index % 2 === 0 ? "control" : "treatment";
    const place = { traceId: newTraceId(), spanId: spanIdOf(1), at: now - 2 * 3_600_000 };
    const attributes = {
      "feature_flag.key": flag,
      "feature_flag.result.variant": variant,
      "feature_flag.context.id": `user-${index}`,
    };
    const log = { ...place, name: "feature_flag.evaluation", attributes };
    const call = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };
    const span = { ...place, endsAt: place.at + 300 + (index % 7), attributes: call };
    return { log, spans: keeps(variant, Math.floor(index / 2)) ? [span] : [] };
  });
  await sendOtlp(api, key, { logs: users.map(({ log }) => log), spans: users.flatMap(({ spans }) => spans) });
}

interface Results {
  readonly withheld_by: string | null;
  readonly srm: { readonly status: string; readonly observed: Readonly<Record<string, number>> };
  readonly results: Readonly<Record<string, unknown>>;
  readonly health: readonly { readonly code: string; readonly severity: string; readonly detail: string }[];
}

async function create(name: string): Promise<WireExperiment> {
  const metrics = [metricBody("latency", { kind: "ratio", category: "latency" })];
  const body = experimentBody(name, { assignment: "external", flag_key: `flag-of-${name}`, metrics });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}

test("a run is withheld when the collector keeps more traces of one variant, and not when it keeps as many", async () => {
  const [tail, random] = [await create("tail"), await create("random")];
  await sendTraffic({
    flag: "flag-of-tail",
    keeps: (variant, n) => n % 10 < (variant === "control" ? 7 : 9),
  });
  await sendTraffic({ flag: "flag-of-random", keeps: (_, n) => n % 10 < 8 });
  now += 60_000;
  const stored = async () =>
    (await api.call<{ readonly events: { readonly used: number } }>("GET", "/v1/usage")).body.events.used;
  await expect.poll(stored, { timeout: 60_000, interval: 500 }).toBe(1_200 + 2 * 480);
  now = Date.UTC(2026, 4, 6, 1);
  const ran = await api.call("POST", "/v1/admin/pipeline-runs", { body: { day: "2026-05-05" } });
  expect(ran.status).toBe(200);
  const resultsOf = async ({ id }: WireExperiment) =>
    (await api.call<Results>("GET", `/v1/experiments/${id}/results`)).body;
  // The schedule of the service may have begun the night by itself.
  const isThere = async () => {
    const both = await Promise.all([tail, random].map(resultsOf));
    return both.every(({ withheld_by }) => withheld_by !== undefined);
  };
  await expect.poll(isThere, { timeout: 80_000 }).toBe(true);
  const withheld = await resultsOf(tail);
  expect(withheld).toMatchObject({ withheld_by: "lost-traces", results: {}, srm: { status: "passed" } });
  expect(withheld.srm.observed).toEqual({ control: 300, treatment: 300 });
  expect(withheld.health.find(({ code }) => code === "lost-traces")).toMatchObject({
    severity: "critical",
    detail: expect.stringContaining("control 30%, treatment 10%"),
  });
  const computed = await resultsOf(random);
  expect([computed.withheld_by, Object.keys(computed.results)]).toEqual([null, ["latency::treatment"]]);

  const { body: overview } = await api.call<{
    readonly items: readonly { readonly id: string; readonly state: string }[];
  }>("GET", "/v1/overview");
  expect(overview.items.find(({ id }) => id === tail.id)?.state).toBe("traces-lost");
  const { body: health } = await api.call<{
    readonly checks: readonly { readonly code: string; readonly severity: string }[];
  }>("GET", `/v1/experiments/${tail.id}/health`);
  expect(health.checks.find(({ code }) => code === "lost-traces")?.severity).toBe("critical");
}, 120_000);
