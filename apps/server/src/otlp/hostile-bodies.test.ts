import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import {
  BACK_DATED_DAYS,
  checkEvent,
  DAY_MS,
  type DomainError,
  ownExposures,
  type RawEvent,
  settleTrace,
} from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../../../tests/e2e/support/seeded-random.ts";
import { inNight } from "../../../../tests/in-night.ts";
import { parseSettings } from "../settings.ts";
import { experimentBody, type WireExperiment } from "../test-support/experiments.ts";
import { BOMBS, mutate } from "../test-support/mutate-otlp.ts";
import { toProtobuf } from "../test-support/otlp-bodies.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";
import { readFacts } from "./accept-traces.ts";
import { NO_TRACE } from "./otlp-batch.ts";
import { decodeBody } from "./read-request.ts";

/** Mutated bodies. */
const BODIES = inNight(60, 2_000);
const AT_A_TIME = 8;
const PHASES = 5;
/** Of a body, one in this many is a bomb. */
const BOMB_EVERY = Math.max(40, BODIES / 250);
const MIB = 1024 * 1024;
const VARIANTS = ["control", "treatment"];
/** After which every trace is settled. */
const PAUSE_MS = 11 * 60_000;

const startedAt = Date.now();
let now = startedAt;
let api: TestService;
let key: string;
let experiment: WireExperiment;
beforeAll(async () => {
  const { rateLimits } = parseSettings({});
  const many = { eventsPerSecond: 1e9, rowsPerSecond: 1e9, bytesPerSecond: 1e12 };
  api = await openTestService({ rateLimits: { ...rateLimits, ...many } }, { now: () => now });
  key = await api.newKey("secret");
  experiment = (
    await api.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody("greeting") })
  ).body;
});
afterAll(() => api.stop());

type Signal = "traces" | "logs";
type Encoding = "json" | "protobuf";
interface Body {
  readonly signal: Signal;
  readonly encoding: Encoding;
  readonly body: Buffer;
}

/** What real emitters sent. */
const recorded: readonly { readonly signal: Signal; readonly request: string }[] = (() => {
  const folder = join(import.meta.dirname, "recorded");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => Object.values(JSON.parse(readFileSync(join(folder, name), "utf8")) as object))
    .flatMap(({ traces, logs }: { readonly traces: object; readonly logs?: object }) => [
      { signal: "traces" as const, request: JSON.stringify(traces) },
      ...(logs === undefined ? [] : [{ signal: "logs" as const, request: JSON.stringify(logs) }]),
    ]);
})();

/** A recorded request as if it came today, in a trace of its own, with an evaluation by a user of its own. */
function original(number: number, random: () => number): Body {
  const { signal, request } = recorded[Math.floor(random() * recorded.length)] as (typeof recorded)[number];
  // So different from others that no changed byte makes one of another.
  const traceId = [1, 2, 3, 4]
    .map(() => (0x10000000 + Math.floor(0xe0000000 * random())).toString(16))
    .join("");
  const attribute = (name: string, value: string) => ({ key: name, value: { stringValue: value } });
  const evaluation = [
    attribute("feature_flag.key", "greeting"),
    attribute("feature_flag.result.variant", "control"),
    attribute("feature_flag.context.id", `user-${number}`),
  ];
  const text = request
    .replaceAll(/("traceId": ?)"[0-9a-f]{32}"/g, `$1"${traceId}"`)
    .replaceAll(/("(?:\w*TimeUnixNano)": ?)"\d+"/g, `$1"${now}000000"`)
    .replace(/"attributes": ?\[/, (list) => `${list}${evaluation.map((one) => JSON.stringify(one)).join()},`);
  const encoding = random() < 0.5 ? "json" : "protobuf";
  const parsed = JSON.parse(text) as object;
  const body =
    encoding === "json"
      ? Buffer.from(JSON.stringify(parsed))
      : toProtobuf(signal === "traces" ? "Traces" : "Logs", parsed);
  return { signal, encoding, body };
}

/** A changed byte may put an exposure months back, before the experiment was there. */
const isBackDated = ({ type, timestamp }: RawEvent) =>
  type === "exposure" && Number(timestamp) < startedAt - BACK_DATED_DAYS * DAY_MS;

/** What would be stored of a body, in the words of the pure rules; null if it cannot be read. */
async function expectedOf({ body, signal, encoding }: Body): Promise<ReadonlySet<string> | null> {
  const experimentOf = (flag: string) =>
    flag === "greeting" || flag === experiment.id ? ({ id: experiment.id, unit: "user" } as const) : null;
  const taken = (rows: readonly RawEvent[], at: number) =>
    rows.filter(
      (row) => checkEvent(row, at) === null && VARIANTS.includes(String(row.variant)) && !isBackDated(row),
    );
  try {
    const traces = await readFacts(decodeBody(body, signal, encoding));
    const rows = [...traces].flatMap(([traceId, facts]) => [
      ...taken(ownExposures({ traceId, facts }, experimentOf), now),
      ...(traceId === NO_TRACE
        ? []
        : taken(settleTrace({ traceId, facts }, experimentOf).rows, now + PAUSE_MS)),
    ]);
    return new Set(rows.map(({ event_id }) => String(event_id)));
  } catch (error) {
    // By its kind: beside other files in one process, a class can be loaded twice.
    if ((error as Partial<DomainError>).kind === "invalid-body") return null;
    throw error;
  }
}

async function post({ signal, encoding, body }: Body, isZipped: boolean): Promise<number> {
  const response = await fetch(`${api.service.url}/v1/otlp/v1/${signal}`, {
    method: "POST",
    headers: {
      "x-api-key": key,
      "content-type": encoding === "json" ? "application/json" : "application/x-protobuf",
      ...(isZipped ? { "content-encoding": "gzip" } : {}),
    },
    body: new Uint8Array(isZipped ? gzipSync(body) : body),
  });
  await response.arrayBuffer();
  return response.status;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** What is in use after collections: the smallest of several, because a request may be under way. */
async function memory(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 5; time++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect();
    const { heapUsed, external } = process.memoryUsage();
    least = Math.min(least, heapUsed + external);
  }
  return least;
}

const used = async () =>
  (await api.call<{ readonly events: { readonly used: number } }>("GET", "/v1/usage")).body.events.used;

/** The traces become due and are settled. */
async function settled(): Promise<void> {
  now += PAUSE_MS;
  const control = api.openControl();
  try {
    await expect
      .poll(() => control.waitingTraces.listDue(now, 1, 1), { timeout: 120_000, interval: 250 })
      .toEqual([]);
  } finally {
    await control.close();
  }
}

test(
  `${BODIES} mutated bodies and bombs are read or refused, and store what the rules say`,
  async () => {
    const statuses = new Map<number, number>();
    const levels: number[] = [];
    const stored = new Set<string>();
    let [next, expected, bombs] = [0, 0, 0];
    const send = async () => {
      const number = next++;
      const random = seededRandom(number + 1);
      const isBomb = Math.floor(number / BOMB_EVERY) !== Math.floor((number - 1) / BOMB_EVERY);
      const bomb = { signal: random() < 0.5 ? "traces" : "logs", ...BOMBS[bombs % BOMBS.length] } as Body;
      const base = isBomb ? bomb : original(number, random);
      const sent = isBomb ? bomb : { ...base, body: mutate(base.body, base.encoding, random) };
      if (isBomb) bombs += 1;
      const ids = isBomb ? null : await expectedOf(sent);
      const status = await post(sent, random() < 0.3);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const context = `body ${number}: ${status}`;
      if (isBomb) expect([400, 413, 200], context).toContain(status);
      else expect(status, context).toBe(ids === null ? 400 : 200);
      for (const id of ids ?? []) stored.add(id);
    };
    for (let phase = 1; phase <= PHASES; phase++) {
      const end = Math.floor((BODIES * phase) / PHASES);
      const sender = async () => {
        while (next < end) await send();
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, sender));
      await settled();
      expected += stored.size;
      stored.clear();
      await expect.poll(used, { timeout: 120_000, interval: 250 }).toBe(expected);
      levels.push(await memory());
    }
    const said = `${BODIES} bodies: ${JSON.stringify([...statuses].sort())}, ${bombs} bombs, ${expected} events; MiB after collections: ${levels.map((level) => Math.round(level / MIB)).join(", ")}`;
    console.log(said);
    expect(statuses.get(200), said).toBeGreaterThan(BODIES / 5);
    expect(statuses.get(400), said).toBeGreaterThan(BODIES / 5);
    expect(expected).toBeGreaterThan(BODIES / 5);
    expect(Math.min(...levels.slice(-2)), said).toBeLessThan(Math.min(...levels.slice(0, 2)) + 24 * MIB);
  },
  Math.max(300_000, BODIES * 40),
);
