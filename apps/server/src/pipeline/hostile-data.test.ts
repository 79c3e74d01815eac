import { DAY_MS, dayOf, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const USERS = 240;
const BATCH = 1000;
const day = dayOf(Date.now() - DAY_MS);
/** Noon of yesterday, UTC. */
const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;

interface WireRow {
  readonly test: string;
  readonly effect: number;
  readonly p_value: number;
  readonly ci_low: number | null;
  readonly n_per_arm: Readonly<Record<string, number>>;
}
interface WireResults {
  readonly srm: { readonly status: string };
  readonly results: Readonly<Record<string, WireRow>>;
  readonly health: readonly { readonly code: string; readonly severity: string; readonly detail: string }[];
}
interface Report {
  readonly experiment_id: string;
  readonly outcome: string;
}

let api: TestService;
let key: string;
const reports = new Map<string, string>();
const experiments = new Map<string, WireExperiment>();

/** An outcome of a user, beside the time and the variant. */
type Outcome = Readonly<Record<string, unknown>>;
const latency = (latency_ms: number): Outcome => ({ type: "model_call", latency_ms });
const bought = (value: number): Outcome => ({ type: "business_event", business_metric: "bought", value });

const latencyMetric = metricBody("latency", { kind: "ratio", category: "latency" });
const boughtMetric = metricBody("bought");

/** What each experiment's users do; `spread` makes users differ. */
const cases: Readonly<
  Record<string, { readonly metrics: readonly unknown[]; outcomes(user: number): readonly Outcome[] }>
> = {
  sound: {
    metrics: [latencyMetric, boughtMetric],
    outcomes: (user) => [latency(spread(user)), latency(spread(user + 7)), bought(spread(user)), bought(1)],
  },
  "all equal": {
    metrics: [latencyMetric, boughtMetric],
    outcomes: () => [latency(250), latency(250), bought(3), bought(3)],
  },
  huge: {
    metrics: [latencyMetric, boughtMetric],
    outcomes: (user) => [
      latency(1e300 * spread(user)),
      latency(1e300),
      bought(1e300 * (spread(user) / 1e4)),
      bought(-1e300),
    ],
  },
  "one heavy user": {
    metrics: [latencyMetric],
    outcomes: (user) =>
      Array.from({ length: user === 0 ? 20_000 : 5 }, (_, call) => latency(spread(user + call))),
  },
  unreported: {
    metrics: [metricBody("boughtt"), metricBody("signup", { kind: "binary" }), latencyMetric],
    outcomes: (user) => [latency(spread(user)), latency(1), latency(2), latency(3), bought(1)],
  },
};

/** Numbers that differ between users, 100 to 1,099. */
function spread(user: number): number {
  return 100 + ((user * 7919) % 1000);
}

beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
  for (const [name, { metrics, outcomes }] of Object.entries(cases)) {
    await create(name, metrics);
    await send(
      name,
      Array.from({ length: USERS }, (_, user) => [{ type: "exposure" }, ...outcomes(user)]),
    );
  }
  await create("nobody", [boughtMetric]);
  await create("one arm", [boughtMetric]);
  await send(
    "one arm",
    Array.from({ length: USERS }, (_, user) => (user % 2 === 0 ? [{ type: "exposure" }, bought(1)] : [])),
  );
  await create("slow clock", [boughtMetric]);
  await send(
    "slow clock",
    Array.from({ length: USERS }, () => [{ type: "exposure" }, bought(1), bought(2)]),
    {
      shift: ({ type }) => (type === "business_event" ? -DAY_MS : 0),
    },
  );
  const answer = await api.call<{ runs: readonly Report[] }>("POST", "/v1/admin/pipeline-runs", {
    body: { day },
  });
  expect(answer.status).toBe(200);
  for (const { experiment_id, outcome } of answer.body.runs) reports.set(experiment_id, outcome);
});
afterAll(() => api.stop());

async function create(name: string, metrics: readonly unknown[]): Promise<void> {
  const { status, body } = await api.call<WireExperiment>("POST", "/v1/experiments", {
    body: experimentBody(name, { metrics }),
  });
  expect(status).toBe(201);
  experiments.set(name, body);
}

const idOf = (name: string) => experiments.get(name)?.id ?? "";
const outcomeOf = (name: string) => reports.get(idOf(name));

/** Sends each user's events, a second apart, even users in control. */
async function send(
  name: string,
  perUser: readonly (readonly Outcome[])[],
  { shift = () => 0 }: { readonly shift?: (event: Outcome) => number } = {},
): Promise<void> {
  const events = perUser.flatMap((own, user) =>
    own.map((event, index) => ({
      event_id: `${name}-${user}-${index}`,
      experiment_id: idOf(name),
      user_id: `user-${user}`,
      variant: user % 2 === 0 ? "control" : "treatment",
      timestamp: toInstant(noon + index + shift(event)),
      ...event,
    })),
  );
  for (let start = 0; start < events.length; start += BATCH) {
    const body = { events: events.slice(start, start + BATCH) };
    const sent = await api.call<{ rejected: readonly unknown[] }>("POST", "/v1/events", { key, body });
    expect([sent.status, sent.body.rejected]).toEqual([202, []]);
  }
}

async function resultsOf(name: string): Promise<WireResults> {
  const answer = await api.call<WireResults>("GET", `/v1/experiments/${idOf(name)}/results`);
  expect(answer.status).toBe(200);
  return answer.body;
}
const codes = ({ health }: WireResults) => health.map(({ code }) => code);

describe("a night over hostile data", () => {
  test("fails no experiment: what can be computed is", () => {
    expect(Object.fromEntries([...experiments.keys()].map((name) => [name, outcomeOf(name)]))).toEqual({
      sound: "computed",
      "all equal": "computed",
      huge: "computed",
      "one heavy user": "computed",
      unreported: "computed",
      nobody: "collecting",
      "one arm": "withheld",
      "slow clock": "collecting",
    });
  });

  test("sound data give plain rows", async () => {
    const results = await resultsOf("sound");
    expect(Object.keys(results.results)).toEqual(["latency::treatment", "bought::treatment"]);
    expect(results.health).toEqual([]);
  });

  test("no exposures, and outcomes before them, leave no results", async () => {
    for (const name of ["nobody", "slow clock"])
      expect((await api.call("GET", `/v1/experiments/${idOf(name)}/results`)).status).toBe(404);
  });

  test("an arm that nobody is in breaks the split: its results are withheld", async () => {
    const results = await resultsOf("one arm");
    expect([results.srm.status, results.results, codes(results)]).toEqual(["halted", {}, ["srm"]]);
  });

  test("equal values show no effect", async () => {
    const { results } = await resultsOf("all equal");
    for (const row of Object.values(results)) expect(row).toMatchObject({ effect: 0, p_value: 1 });
  });

  test("values of 1e300 give numbers, or a remark", async () => {
    const { results, health } = await resultsOf("huge");
    const missing = health.filter(({ code }) => code === "metric-degenerate").length;
    expect(Object.keys(results).length + missing).toBe(2);
    for (const row of Object.values(results)) {
      expect(Number.isFinite(row.effect) && Number.isFinite(row.p_value)).toBe(true);
      expect(row.p_value).toBeGreaterThan(0.001);
    }
  });

  test("a user with thousands of calls is one user, and named", async () => {
    const results = await resultsOf("one heavy user");
    expect(results.results["latency::treatment"]?.n_per_arm).toEqual({ control: 120, treatment: 120 });
    expect(results.results["latency::treatment"]?.p_value).toBeGreaterThan(0.05);
    expect(codes(results)).toEqual(["heavy-users"]);
  });

  test("metrics that nobody reports have no row, and say what they wait for", async () => {
    const results = await resultsOf("unreported");
    expect(Object.keys(results.results)).toEqual(["latency::treatment"]);
    expect(codes(results)).toEqual(["misspelt-metrics", "metric-unreported", "metric-unreported"]);
    expect(results.health[1]?.detail).toContain('business_metric "boughtt"');
  });

  test("the same night again gives the same bytes", async () => {
    const bytes = async () => {
      const at = `/v1/experiments/${idOf("sound")}/analyze`;
      const { body } = await api.call<WireResults & { computed_for: string }>("POST", at);
      return JSON.stringify({
        ...body,
        computed_for: "",
        computed_at: "",
        window: "",
        available_days: [],
      }).replaceAll(/"window_days":[0-9.]+/g, "");
    };
    expect(await bytes()).toBe(await bytes());
  });
});

test("a manual look at outcomes from a clock that is a day slow says so", async () => {
  const { body } = await api.call<WireResults>("POST", `/v1/experiments/${idOf("slow clock")}/analyze`);
  expect(body.results).toEqual({});
  expect(body.health).toContainEqual(
    expect.objectContaining({
      code: "dropped-pre-exposure",
      severity: "warning",
      detail: expect.stringContaining("clocks"),
    }),
  );
});

test("a prompt that is edited while users have it is remarked", async () => {
  const variants = [{ key: "control" }, { key: "treatment", prompt: "Be brief." }];
  const path = `/v1/experiments/${idOf("sound")}`;
  expect((await api.call("PUT", path, { body: { variants } })).status).toBe(200);
  const { body } = await api.call<WireResults>("POST", `${path}/analyze`);
  expect(codes(body)).toEqual(["variant-edited"]);
  expect(Object.keys(body.results)).toHaveLength(2);
});

test.each([
  { name: "NaN as text", row: '"latency_ms": "NaN"' },
  { name: "a number beyond every double", row: '"latency_ms": 1e999' },
  { name: "a timestamp two days ahead", row: `"timestamp": "${toInstant(noon + 4 * DAY_MS)}"` },
])("$name is refused at ingest, and costs its row only", async ({ row }) => {
  const common = `"type": "model_call", "experiment_id": "${idOf("sound")}", "user_id": "user-1"`;
  const good = `{"event_id": "good-${row.length}", "timestamp": "${toInstant(noon)}", ${common}}`;
  const bad = `{"event_id": "bad-${row.length}", "timestamp": "${toInstant(noon)}", ${common}, ${row}}`;
  const body = `{"events": [${bad}, ${good}]}`;
  const sent = await api.call<{ accepted: number; rejected: readonly { index: number }[] }>(
    "POST",
    "/v1/events",
    {
      key,
      body,
    },
  );
  expect(sent.body).toMatchObject({ accepted: 1, rejected: [{ index: 0 }] });
});
