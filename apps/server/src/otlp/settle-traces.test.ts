import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../../../tests/e2e/support/seeded-random.ts";
import { inNight } from "../../../../tests/in-night.ts";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { newTraceId, type ShortLog, type ShortSpan, spanIdOf } from "../test-support/otlp-bodies.ts";
import { sendOtlp } from "../test-support/send-otlp.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

/** The evening before the night that analyzes it. */
let now = Date.UTC(2026, 4, 5, 20);
let api: TestService;
let key: string;
let experiment: WireExperiment;
beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  key = await api.newKey("secret");
  experiment = await create("greeting");
});
afterAll(() => api.stop());

/** Tests without permutations, which each experiment draws for itself. */
async function create(name: string): Promise<WireExperiment> {
  const body = experimentBody(name, {
    metrics: [
      metricBody("latency", { kind: "ratio", category: "latency", method_default: "ratio_delta" }),
      metricBody("helpful", { kind: "mean", method_default: "welch_t" }),
    ],
  });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}

const sendSpans = (spans: readonly ShortSpan[]) => sendOtlp(api, key, { spans });
const sendLogs = (logs: readonly ShortLog[]) => sendOtlp(api, key, { logs });

interface Piece {
  readonly span?: ShortSpan;
  readonly log?: ShortLog;
}

/** The pieces of a user's trace: the request with the flag, the call below it, which says nothing of either, and a score. */
function piecesOf(
  user: string,
  variant: string,
  latency: number,
  score: number,
  experimentName = "greeting",
): readonly Piece[] {
  const traceId = newTraceId();
  const at = now - 3_600_000;
  const parentSpanId = spanIdOf(1);
  const flag = { "feature_flag.key": experimentName, "feature_flag.result.variant": variant };
  const event = { name: "feature_flag.evaluation", at, attributes: flag };
  return [
    { span: { traceId, spanId: spanIdOf(1), at, attributes: { "user.id": user }, events: [event] } },
    {
      span: {
        ...{ traceId, parentSpanId, spanId: spanIdOf(2), at: at + 10, endsAt: at + 10 + latency },
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.system": "openai",
          "gen_ai.usage.input_tokens": 10,
          "gen_ai.usage.output_tokens": 5,
        },
      },
    },
    {
      log: {
        ...{ traceId, spanId: spanIdOf(2), at: at + 1_000, name: "gen_ai.evaluation.result" },
        attributes: { "gen_ai.evaluation.name": "helpful", "gen_ai.evaluation.score.value": score },
      },
    },
  ];
}

interface Results {
  readonly results: Readonly<
    Record<
      string,
      {
        readonly n_per_arm: Record<string, number>;
        readonly control_value: number;
        readonly treatment_value: number;
      }
    >
  >;
  readonly srm: { readonly observed: Readonly<Record<string, number>> };
}

test("spans in pieces, in any order and twice, become results after the night", async () => {
  const pieces = Array.from({ length: 400 }, (_, index) =>
    piecesOf(
      `user-${index}`,
      index % 2 === 0 ? "control" : "treatment",
      (index % 2 === 0 ? 400 : 300) + (index % 7),
      3 + (index % 2) + (index % 5) / 10,
    ),
  );
  // The scores first, then the calls, then what names the user, all of it twice.
  for (const kind of [2, 1, 0, 1, 2]) {
    const part = pieces.flatMap((all) => all[kind] ?? []);
    await sendSpans(part.flatMap(({ span }) => span ?? []));
    await sendLogs(part.flatMap(({ log }) => log ?? []));
    now += 1_000;
  }
  now += 60_000;
  const stored = async () =>
    (await api.call<{ readonly events: { readonly used: number } }>("GET", "/v1/usage")).body.events.used;
  await expect.poll(stored, { timeout: 60_000, interval: 500 }).toBe(1_200);
  now = Date.UTC(2026, 4, 6, 1);
  const ran = await api.call("POST", "/v1/admin/pipeline-runs", { body: { day: "2026-05-05" } });
  expect(ran.status).toBe(200);
  const { body } = await api.call<Results>("GET", `/v1/experiments/${experiment.id}/results`);
  expect(body.srm.observed).toEqual({ control: 200, treatment: 200 });
  const latency = body.results["latency::treatment"];
  const helpful = body.results["helpful::treatment"];
  expect(latency?.n_per_arm).toEqual({ control: 200, treatment: 200 });
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value) / values.length;
  const ofArm = (rest: number, value: (index: number) => number) =>
    mean(
      Array.from({ length: 400 }, (_, index) => index)
        .filter((index) => index % 2 === rest)
        .map(value),
    );
  expect(latency?.control_value).toBeCloseTo(
    ofArm(0, (index) => 400 + (index % 7)),
    9,
  );
  expect(latency?.treatment_value).toBeCloseTo(
    ofArm(1, (index) => 300 + (index % 7)),
    9,
  );
  expect(helpful?.control_value).toBeCloseTo(
    ofArm(0, (index) => 3 + (index % 5) / 10),
    9,
  );
  expect(helpful?.treatment_value).toBeCloseTo(
    ofArm(1, (index) => 4 + (index % 5) / 10),
    9,
  );
}, 120_000);

/** Numbers anywhere in a value, in a fixed order. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, part]) => numbersIn(part));
}

const WAYS = inNight(500, 1_000);

test(`traces in ${WAYS} ways, each split, doubled and shuffled on its own, give the results of whole ones`, async () => {
  now = Date.UTC(2026, 4, 6, 18);
  const [whole, mixed] = [await create("whole"), await create("mixed")];
  now += 2 * 3_600_000;
  const random = seededRandom(7);
  const users = Array.from({ length: WAYS }, (_, index) => ({
    user: `way-${index}`,
    variant: random() < 0.5 ? "control" : "treatment",
    latency: 300 + Math.round(200 * random()),
    score: 3 + random(),
  }));
  const tracesIn = (name: string) =>
    users.map(({ user, variant, latency, score }) => piecesOf(user, variant, latency, score, name));
  await sendPieces(tracesIn("whole").flat());
  const ROUNDS = 5;
  const rounds: Piece[][] = Array.from({ length: ROUNDS }, () => []);
  for (const piece of tracesIn("mixed").flat())
    for (let copies = 1 + Math.floor(3 * random()); copies > 0; copies--)
      rounds[Math.floor(ROUNDS * random())]?.push(piece);
  for (const round of rounds) {
    const shuffled = round
      .map((piece) => ({ piece, place: random() }))
      .sort((one, other) => one.place - other.place);
    await sendPieces(shuffled.map(({ piece }) => piece));
    // Some traces are settled before the rest of them comes.
    now += 25_000;
  }
  now += 60_000;
  const stored = async () =>
    (await api.call<{ readonly events: { readonly used: number } }>("GET", "/v1/usage")).body.events.used;
  await expect.poll(stored, { timeout: 60_000, interval: 500 }).toBe(1_200 + 2 * 3 * users.length);
  now = Date.UTC(2026, 4, 7, 1);
  await api.call("POST", "/v1/admin/pipeline-runs", { body: { day: "2026-05-06" } });
  const resultsOf = async ({ id }: WireExperiment) =>
    (await api.call<Results>("GET", `/v1/experiments/${id}/results`)).body;
  const [expected, found] = [await resultsOf(whole), await resultsOf(mixed)];
  expect(found.srm.observed).toEqual(expected.srm.observed);
  const [numbers, others] = [numbersIn(expected.results), numbersIn(found.results)];
  expect(numbers.length).toBeGreaterThan(20);
  expect(others).toHaveLength(numbers.length);
  for (const [index, number] of numbers.entries())
    expect(Math.abs((others[index] as number) - number)).toBeLessThanOrEqual(1e-12 * Math.abs(number));
}, 180_000);

interface Waiting {
  readonly outcome: string;
  readonly calls: number;
}

/** What became of the calls of an instrumentation, read from the database. */
async function outcomes(): Promise<readonly Waiting[]> {
  const control = api.openControl();
  try {
    const [org] = await control.orgs.list();
    const counted = await control.waitingTraces.countCalls(org?.id ?? "");
    return counted.map(({ outcome, calls }) => ({ outcome, calls }));
  } finally {
    await control.close();
  }
}

async function eventsOf(user: string): Promise<readonly { readonly type: string }[]> {
  const response = await fetch(`${api.service.url}/v1/users/${user}/events`, {
    headers: { authorization: `Bearer ${await api.token()}` },
  });
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as { readonly type: string });
}
const typesOf = async (user: string) => (await eventsOf(user)).map(({ type }) => type).sort();
const ALL = ["business_event", "exposure", "model_call"];
const POLL = { timeout: 30_000, interval: 200 };

async function sendPieces(pieces: readonly Piece[]): Promise<void> {
  await sendSpans(pieces.flatMap(({ span }) => span ?? []));
  await sendLogs(pieces.flatMap(({ log }) => log ?? []));
}

test("what was acknowledged is joined after a restart", async () => {
  const pieces = piecesOf("restarted", "control", 100, 1);
  await sendPieces(pieces.slice(1));
  await api.restart();
  await sendPieces(pieces.slice(0, 1));
  await api.restart();
  now += 60_000;
  await expect.poll(() => typesOf("restarted"), POLL).toEqual(ALL);
});

test("a call whose user comes hours later becomes an event then", async () => {
  const [request, ...others] = piecesOf("late", "control", 100, 1);
  await sendPieces(others);
  now += 60_000;
  await expect.poll(outcomes, POLL).toContainEqual({ outcome: "no-evaluation", calls: 1 });
  now += 20 * 3_600_000;
  await sendPieces(request === undefined ? [] : [request]);
  now += 60_000;
  await expect.poll(() => typesOf("late"), POLL).toEqual(ALL);
  expect(await outcomes()).not.toContainEqual(expect.objectContaining({ outcome: "no-evaluation" }));
});

test("a user who is erased while a trace waits is in no event", async () => {
  const [request, ...others] = piecesOf("erased", "control", 100, 1);
  await sendPieces(request === undefined ? [] : [request]);
  const before = (await outcomes()).length;
  await sendPieces(others);
  expect((await outcomes()).length).toBe(before + 1);
  expect((await api.call("DELETE", "/v1/users/erased")).status).toBe(202);
  await expect.poll(async () => (await outcomes()).length, POLL).toBe(before);
  now += 60_000;
  await sendPieces(piecesOf("witness", "control", 100, 1));
  now += 60_000;
  await expect.poll(() => typesOf("witness"), POLL).toEqual(ALL);
  expect(await typesOf("erased")).toEqual([]);
});

test("a call of a variant that the experiment does not have is counted as refused", async () => {
  await sendPieces(piecesOf("misspelt", "Treatment", 100, 1));
  now += 60_000;
  await expect.poll(outcomes, POLL).toContainEqual({ outcome: "refused", calls: 1 });
  expect(await typesOf("misspelt")).toEqual([]);
  const { body } = await api.call<{
    readonly instrumentations: readonly { readonly refused: number; readonly advice: readonly string[] }[];
    readonly last_call: { readonly outcome: string };
  }>("GET", "/v1/telemetry");
  expect(body.last_call.outcome).toBe("refused");
  expect(body.instrumentations).toEqual([
    expect.objectContaining({
      refused: 1,
      advice: expect.arrayContaining([expect.stringContaining("were refused: send a variant")]),
    }),
  ]);
});

test("after a day, what found no user is counted and removed", async () => {
  const [, ...others] = piecesOf("never", "control", 100, 1);
  await sendPieces(others);
  now += 60_000;
  await expect.poll(outcomes, POLL).toContainEqual({ outcome: "no-evaluation", calls: 1 });
  now += 25 * 3_600_000;
  await expect.poll(outcomes, POLL).toEqual([]);
  const metrics = await (await fetch(`${api.service.url}/metrics`)).text();
  expect(metrics).toContain('assay_otlp_unjoined_total{reason="no-evaluation"} 2');
});
