import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { type ShortSpan, spanIdOf, tracesOf } from "../../apps/server/src/test-support/otlp-bodies.ts";
import { cleanUp } from "./support/clean-up.ts";
import { type Access, createExperiment, openAccess } from "./support/experiment.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { expectOk, metric, type RunningService, startService } from "./support/service.ts";
import { readStoredEvents } from "./support/stored-events.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const ROUNDS = 4;
const LATEST_KILL_MS = 1_200;
const LANES = 4;

afterAll(cleanUp);

const traceIdOf = (number: number): string => `1${number.toString(16).padStart(31, "0")}`;

/** The two spans of a trace: the call, which comes first, and the request around it, which names flag and user. */
function spansOf(number: number): readonly [ShortSpan, ShortSpan] {
  const traceId = traceIdOf(number);
  const at = Date.now();
  const flag = {
    "feature_flag.key": "killed",
    "feature_flag.result.variant": number % 2 === 0 ? "control" : "treatment",
    "feature_flag.context.id": `user-${number}`,
  };
  const event = { name: "feature_flag.evaluation", at, attributes: flag };
  const call = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };
  return [
    { traceId, spanId: spanIdOf(2), parentSpanId: spanIdOf(1), at: at + 1, attributes: call },
    { traceId, spanId: spanIdOf(1), at, events: [event] },
  ];
}

/** Sends traces in halves of ten until the service is gone, and notes the spans of what was acknowledged. */
async function send(
  service: RunningService,
  { key }: Access,
  acknowledged: Set<string>,
  next: () => number,
): Promise<void> {
  for (;;) {
    const traces = Array.from({ length: 10 }, () => spansOf(next()));
    for (const half of [0, 1] as const) {
      const spans = traces.map((trace) => trace[half]);
      const request = { headers: key, body: tracesOf(spans) };
      const answer = await service.send("POST", "/v1/otlp/v1/traces", request).catch(() => null);
      if (answer === null) return;
      expect([answer.status, answer.body]).toEqual([200, {}]);
      for (const { traceId, spanId } of spans) acknowledged.add(`${traceId} ${spanId}`);
    }
  }
}

interface Summary {
  readonly instrumentations: readonly { readonly waiting: number; readonly events: number }[];
}

test("acknowledged OTLP data becomes an event exactly once, whenever the service is killed", async () => {
  const random = seededRandom(27);
  let service = await startService(temporaryFolder());
  const access = await openAccess(service);
  const experimentId = await createExperiment(service, access, "killed");
  const acknowledged = new Set<string>();
  let count = 0;
  const kill = async () => {
    service.program.signal("SIGKILL");
    await service.program.exited;
    return startService(service.dataDir);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.size;
    const lanes = Array.from({ length: LANES }, () => send(service, access, acknowledged, () => ++count));
    await until("something is acknowledged", () => acknowledged.size > before);
    await sleep(random() * LATEST_KILL_MS); // The moment is the test's stimulus; nothing is awaited with it.
    service = await kill();
    await Promise.all(lanes);
  }
  const waiting = async () => {
    const request = service.send<Summary>("GET", "/v1/telemetry", { headers: access.session });
    return (await expectOk(request)).instrumentations[0] ?? { waiting: 0, events: 0 };
  };
  // Killed once more while traces are being settled.
  await until("the first traces are settled", async () => (await waiting()).events > 0);
  service = await kill();
  await until("all traces are settled", async () => (await waiting()).waiting === 0);
  await until("the queue drains", async () => (await metric(service, "assay_queue_batches")) === 0);
  await service.stop();
  const stored = await readStoredEvents(service.dataDir);
  expect(new Set(stored.analysis).size).toBe(stored.analysis.length);
  const ids = new Set(stored.analysis.map((id) => id.replace(/-[0-9a-f]{16}$/, "")));
  const missing = [...acknowledged].filter((span) => {
    const [traceId, spanId] = span.split(" ");
    // A call whose request was never acknowledged may belong to nobody.
    const isCall = spanId === spanIdOf(2);
    if (isCall && !acknowledged.has(`${traceId} ${spanIdOf(1)}`)) return false;
    return !ids.has(`${traceId}-${experimentId}-${isCall ? "c" : "e"}${spanId}`);
  });
  expect(missing).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(20 * ROUNDS);
}, 300_000);
