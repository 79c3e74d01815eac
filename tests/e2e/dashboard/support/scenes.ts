import { addDays, type Day, dayOf, startOfDay, toInstant } from "@assay/domain";
import { metricBody, type WireExperiment } from "../../../../apps/server/src/test-support/experiments.ts";
import type { TestService } from "../../../../apps/server/src/test-support/test-service.ts";

/** Maximum number of events per request. */
const BATCH = 1000;

/** The UTC day this many days ago. */
export const daysAgo = (days: number): Day => addDays(dayOf(Date.now()), -days);

/** Metrics of every role and unit: cost decides, latency is guarded, errors and purchases are looked at. */
export const SCENE_METRICS = [
  metricBody("answer_cost", { category: "cost", role: "primary", description: "Dollars per user." }),
  metricBody("latency", { kind: "ratio", category: "latency", role: "guardrail", margin: 100 }),
  metricBody("errors", { kind: "ratio", category: "reliability", role: "secondary" }),
  metricBody("bought", { kind: "binary", role: "secondary" }),
];

/** Creates an experiment of `control` and `concise`, half and half; a change replaces whole fields. */
export async function createScene(
  service: TestService,
  name: string,
  change: Readonly<Record<string, unknown>> = {},
): Promise<WireExperiment> {
  const body = {
    name,
    hypothesis: "We believe that asking for short answers lowers cost, because answers are mostly padding.",
    salt: `salt-${name}`,
    bucket_count: 1000,
    assignment: "external",
    allocation: [
      { variant: "control", weight: 1 },
      { variant: "concise", weight: 1 },
    ],
    variants: [
      { key: "control", prompt: "You are a helpful assistant." },
      { key: "concise", prompt: "You are a helpful assistant. Be as concise as possible." },
    ],
    metrics: SCENE_METRICS,
    ...change,
  };
  const { status, body: experiment } = await service.call<WireExperiment>("POST", "/v1/experiments", {
    body,
  });
  if (status !== 201) throw new Error(`The scene "${name}" was answered ${status}.`);
  return experiment;
}

export interface SceneTraffic {
  readonly day: Day;
  readonly users: number;
  /** Number of users out of ten who get `concise`; default 5. */
  readonly conciseOfTen?: number;
  /** What `concise` costs in place of 1; default 0.8: clearly cheaper. */
  readonly costFactor?: number;
  /** What a call of `concise` takes in place of 1; default 1: the same. */
  readonly latencyFactor?: number;
}

/** Sends a day's new users: an exposure each, two model calls with texts, and of every third a purchase. */
export async function sendUsers(
  service: TestService,
  experiment: Pick<WireExperiment, "id">,
  traffic: SceneTraffic,
): Promise<void> {
  const events = Array.from({ length: traffic.users }, (_, user) => userEvents(user, experiment.id, traffic));
  await sendEvents(service, events.flat());
}

/** Sends events, and expects all of them to be accepted. */
export async function sendEvents(service: TestService, all: readonly object[]): Promise<void> {
  const key = await keyOf(service);
  for (let start = 0; start < all.length; start += BATCH) {
    const body = { events: all.slice(start, start + BATCH) };
    const answer = await service.call<{ accepted: number }>("POST", "/v1/events", { key, body });
    if (answer.body.accepted !== body.events.length) throw new Error("The scene's events were refused.");
  }
}

function userEvents(user: number, experiment_id: string, traffic: SceneTraffic): readonly object[] {
  const { day, conciseOfTen = 5, costFactor = 0.8, latencyFactor = 1 } = traffic;
  const isConcise = user % 10 < conciseOfTen;
  const variant = isConcise ? "concise" : "control";
  const id = `${experiment_id.slice(-12)}-${day}-${user}`;
  const common = {
    experiment_id,
    user_id: id,
    variant,
    timestamp: toInstant(startOfDay(day) + 60_000 + 1000 * user),
  };
  // Steps that are not multiples of ten spread equally over both variants.
  const spread = ((user * 7919) % 997) / 997;
  const calls = [0, 1].map((call) => ({
    ...common,
    event_id: `${id}-call-${call}`,
    type: "model_call",
    model: "gpt-4o-mini",
    latency_ms: Math.round((600 + 500 * spread + 40 * call) * (isConcise ? latencyFactor : 1)),
    input_tokens: 40,
    output_tokens: Math.round((200 + 120 * spread) * (isConcise ? costFactor : 1)),
    cost_usd: (0.002 + 0.001 * spread) * (isConcise ? costFactor : 1),
    error: user % 37 === 0 && call === 1,
    prompt: `Question ${user} of ${day}`,
    response: `Answer ${user}, call ${call}`,
  }));
  const bought = { ...common, event_id: `${id}-bought`, type: "business_event", business_metric: "bought" };
  return [
    { ...common, event_id: `${id}-exposure`, type: "exposure" },
    ...calls,
    ...((user * 7) % 3 === 0 ? [bought] : []),
  ];
}

/** Runs the nightly pipeline of a day for one experiment; returns what came of it. */
export async function runNight(
  service: TestService,
  experiment: Pick<WireExperiment, "id">,
  day: Day,
): Promise<string> {
  const { body } = await service.call<{ runs: readonly { outcome: string }[] }>(
    "POST",
    "/v1/admin/pipeline-runs",
    { body: { day, experiment_id: experiment.id } },
  );
  return body.runs[0]?.outcome ?? "none";
}

/** Changes an experiment as the change page does. */
export async function changeScene(
  service: TestService,
  experiment: Pick<WireExperiment, "id">,
  change: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { status } = await service.call("PUT", `/v1/experiments/${experiment.id}`, { body: change });
  if (status !== 200) throw new Error(`The change of the scene was answered ${status}.`);
}

const keys = new WeakMap<TestService, Promise<string>>();

/** One key per service: a second one would end the first. */
function keyOf(service: TestService): Promise<string> {
  const key = keys.get(service) ?? service.newKey("secret");
  keys.set(service, key);
  return key;
}
