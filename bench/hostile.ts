import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { startBare } from "./harness/bare.ts";
import { eventBatches } from "./harness/event-batches.ts";
import { cpuSeconds } from "./harness/process-stat.ts";
import { post, repeatRequest } from "./harness/repeat-request.ts";
import { type Service, startService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { steadyLoad } from "./harness/steady-load.ts";
import { printTable } from "./harness/table.ts";

const MIB = 1024 * 1024;
/** Bytes sent per kind of request and round: enough that the resolution of the processor time hardly matters. */
const BYTES_PER_ROUND = sized(24 * MIB, 4 * MIB);
const ROUNDS = sized(3, 1);
/** The goal: hostile bytes cost at most this many times as much as the bytes of an ordinary batch. */
const AIM = 2;

/** The default rate limits; the bench's other services have none. */
const USUAL_RATES = {
  ASSAY_RATE_ASSIGN_PER_SECOND: "2000",
  ASSAY_RATE_EVENTS_PER_SECOND: "1000",
  ASSAY_RATE_PUBLIC_ROWS_PER_SECOND: "20000",
  ASSAY_RATE_PUBLIC_BYTES_PER_SECOND: String(8 * MIB),
};
/** A service is idle when it uses at most this much processor time in this long. */
const [QUIET_SECONDS, QUIET_MS] = [0.02, sized(300, 50)];

/** Requests of another org while the hostile ones are served. */
const ASKED_PER_SECOND = 100;
const LATENCY_SECONDS = sized(6, 0.1);
const SENDERS = 2;
const ORDINARY = "ordinary: a batch of 1,000 events";
const MAX_ADDED_MS = 50;

interface Hostile {
  readonly name: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Bytes that the service may read, if more than the body has: decompressed, at most 5 MiB. */
  readonly size?: number;
}

const list = (item: (index: number) => string, times: number) =>
  Buffer.from(`[${Array.from({ length: times }, (_, index) => item(index)).join()}]`);
const zipped = (plain: Buffer) => ({
  body: gzipSync(plain, { level: 9 }),
  size: plain.length,
  headers: { "content-encoding": "gzip" },
});
const rowsOf = (row: (index: number) => object) =>
  Buffer.from(JSON.stringify({ events: Array.from({ length: 1_000 }, (_, index) => row(index)) }));

const nestedRows = (size: number, item: (index: number) => string) =>
  list(
    (row) => `{"metadata":[${Array.from({ length: size }, (_, i) => item(row * size + i)).join()}]}`,
    1_000,
  );
const namedRows = (size: number, rows = 1_000) =>
  list((row) => `{${Array.from({ length: size }, (_, i) => `"n${row}.${i}":${i}`).join()}}`, rows);

const REQUESTS: readonly Hostile[] = [
  { name: "5 MiB of brackets", path: "/v1/events", body: Buffer.alloc(5 * MIB, "[") },
  { name: "5 MiB of brackets in 5 KB of gzip", path: "/v1/events", ...zipped(Buffer.alloc(5 * MIB, "[")) },
  {
    name: "a bomb of 50 MiB in 50 KB of gzip",
    path: "/v1/events",
    ...zipped(Buffer.alloc(50 * MIB, " ")),
    size: 5 * MIB,
  },
  { name: "5 MiB of white space", path: "/v1/events", body: Buffer.alloc(5 * MIB - 1, " ") },
  { name: "a number of 5 million digits", path: "/v1/events", body: Buffer.alloc(5 * MIB - 1, "1") },
  { name: "490,000 numbers", path: "/v1/events", body: list((i) => `${i}.5`, 490_000) },
  { name: "300,000 texts", path: "/v1/events", body: list((i) => `"text ${i}"`, 300_000) },
  {
    name: "1,000 rows of 99 objects each",
    path: "/v1/events",
    body: nestedRows(99, (i) => `{"name-${i}":${i}}`),
  },
  { name: "1,000 rows of 300 names each", path: "/v1/events", body: namedRows(300) },
  { name: "30 rows of 9,000 names each", path: "/v1/events", body: namedRows(9_000, 30) },
  {
    name: "300,000 names in one object",
    path: "/v1/events",
    body: Buffer.from(`{${Array.from({ length: 300_000 }, (_, i) => `"n${i}":${i}`).join()}}`),
  },
  {
    name: "1,000 rows that are not events",
    path: "/v1/events",
    body: rowsOf(() => ({ a: "x".repeat(300) })),
  },
  {
    name: "1,000 rows of an unknown experiment",
    path: "/v1/events",
    body: rowsOf((i) => ({
      event_id: `h-${i}`,
      type: "exposure",
      experiment_id: "none",
      user_id: `u${i}`,
      timestamp: new Date().toISOString(),
      prompt: "x".repeat(200),
    })),
  },
  { name: "5 MiB of text in Latin-1", path: "/v1/events", body: Buffer.alloc(5 * MIB - 1, 0xe9) },
  {
    name: "a user of 64 KB, to assign",
    path: "/v1/assign",
    body: Buffer.from(`{"experiment_id":"answer-style","user_id":"${"u".repeat(65_000)}"}`),
  },
  {
    name: "3,000 unknown fields, to assign",
    path: "/v1/assign",
    body: Buffer.from(`{${Array.from({ length: 3_000 }, (_, i) => `"name-${i}":${i}`).join()}}`),
  },
];

const COST =
  "The service's processor time per byte (decompressed, at most 5 MiB) for hostile requests, as a multiple of that for ordinary " +
  `batches of 50 events in the same round: median of ${ROUNDS} rounds, lowest and highest in parentheses. It covers the serving ` +
  `process, without the event engine, until accepted events are stored. Goal: at most ${AIM}.`;

const LATENCY =
  `The p99 of another org's \`POST /v1/assign\` at ${ASKED_PER_SECOND} requests per second over ${LATENCY_SECONDS} s. Meanwhile ${SENDERS} senders in ` +
  "another thread repeat each request at the default rate limits and pause for 0.1 s after a refusal. For the reference, they send it to a bare server, which " +
  "reads and refuses it: this shows the effect of the shared machine alone. " +
  `Goal: at most ${MAX_ADDED_MS} ms more than that.`;

/** Measures what hostile requests cost per byte, and how much they slow another org. */
export async function benchHostile(): Promise<void> {
  await benchCost();
  await benchLatency();
}

async function benchCost(): Promise<void> {
  const service = await startService();
  const batches = eventBatches(service.experiment, 50);
  const ordinary = { path: "/v1/events", next: () => batches.next() };
  // The first round is slower, because the code is compiled during it.
  await secondsPerByte(service, ordinary);
  const rounds: (readonly number[])[] = [];
  const usual: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const reference = await secondsPerByte(service, ordinary);
    usual.push(reference * 1e9);
    const ratios: number[] = [];
    for (const hostile of REQUESTS)
      ratios.push((await secondsPerByte(service, { ...hostile, next: () => hostile.body })) / reference);
    rounds.push(ratios);
  }
  printTable("hostile requests: cost", COST, [
    ["request", "÷ ordinary batch, per byte"],
    ["reference, ns per byte", formatSpread(spreadOf(usual))],
    ...REQUESTS.map(({ name }, index) => [
      name,
      formatSpread(spreadOf(rounds.map((round) => round[index]!))),
    ]),
  ]);
  await service.stop();
}

interface Sent extends Pick<Hostile, "path" | "headers" | "size"> {
  readonly next: () => Buffer;
}

async function secondsPerByte(service: Service, sent: Sent): Promise<number> {
  const before = cpuSeconds(service.pid);
  let bytes = 0;
  while (bytes < BYTES_PER_ROUND) bytes += await send(service, sent);
  await quiet(service);
  return (cpuSeconds(service.pid) - before) / bytes;
}

/** Waits until the service is idle: everything accepted is stored. */
async function quiet({ pid }: Service): Promise<void> {
  for (let [last, now] = [-1, cpuSeconds(pid)]; now - last > QUIET_SECONDS; ) {
    await sleep(QUIET_MS);
    [last, now] = [now, cpuSeconds(pid)];
  }
}

/** Sends one request and returns the number of bytes that it counts as. */
async function send(service: Service, { path, headers, size, next }: Sent): Promise<number> {
  const body = next();
  await post({ url: service.url + path, headers: headersOf(service, headers), body: new Uint8Array(body) });
  return size ?? body.length;
}

const headersOf = ({ key }: Service, more: Hostile["headers"] = {}) => ({
  "content-type": "application/json",
  "x-api-key": key,
  ...more,
});

async function benchLatency(): Promise<void> {
  const service = await startService({ settings: USUAL_RATES });
  const bare = await startBare();
  const bareUrl = await bare.refuse();
  const other = await service.addOrg("other");
  await p99While(service, other, async () => {});
  const calm = await p99While(service, other, async () => {});
  const rows: string[][] = [];
  const ordinary: Hostile = {
    name: ORDINARY,
    path: "/v1/events",
    body: eventBatches(service.experiment, 1_000).next(),
  };
  for (const { name, path, headers, body } of [ordinary, ...REQUESTS]) {
    const attack = (url: string) => () =>
      repeatRequest({
        url,
        headers: headersOf(service, headers),
        body: new Uint8Array(body),
        senders: SENDERS,
        forMs: LATENCY_SECONDS * 1000,
      });
    const machine = await p99While(service, other, attack(bareUrl));
    const during = await p99While(service, other, attack(service.url + path));
    const added = Math.max(0, during - machine);
    rows.push([name, formatFigure(machine), formatFigure(during), formatFigure(added)]);
  }
  printTable("hostile requests: effect on another org", LATENCY, [
    ["request", "p99 while a bare server gets it, ms", "p99 while the service gets it, ms", "increase, ms"],
    ["none", "", formatFigure(calm), ""],
    ...rows,
  ]);
  await bare.stop();
  await service.stop();
}

/** The p99 of another org's requests in milliseconds during an attack. */
async function p99While(service: Service, key: string, attack: () => Promise<void>): Promise<number> {
  let serial = 0;
  const target = {
    url: `${service.url}/v1/assign`,
    pid: service.pid,
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: () => Buffer.from(`{"experiment_id":"${service.experiment}","user_id":"user-${serial++}"}`),
    status: 200,
    perSecond: ASKED_PER_SECOND,
  } as const;
  const [latencies = []] = await steadyLoad([target], Promise.all([attack(), sleep(LATENCY_SECONDS * 1000)]));
  return latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0;
}
