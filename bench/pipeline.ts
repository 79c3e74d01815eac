import { setTimeout as sleep } from "node:timers/promises";
import { startBare } from "./harness/bare.ts";
import { eventBatches } from "./harness/event-batches.ts";
import { insertRate } from "./harness/insert-rate.ts";
import type { Target } from "./harness/load.ts";
import { cpuSeconds, peakRssMiB } from "./harness/process-stat.ts";
import { sendAll } from "./harness/send-all.ts";
import { type Service, startService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure, quantile } from "./harness/spread.ts";
import { steadyLoad } from "./harness/steady-load.ts";
import { printTable } from "./harness/table.ts";

const BATCH = 500;
const BATCHES = sized(600, 20);
const EVENTS = BATCH * BATCHES;
const POLL_MS = 50;
const STEADY_EVENTS_PER_SECOND = sized(40_000, 1_000);
const STEADY_MS = sized(300_000, 500);

interface Measured {
  readonly perSecond: number;
  readonly cpuUsPerEvent: number;
  readonly note: string;
}

/**
 * Measures events from HTTP to queryable, compared with a server that drops them and with the engine's own
 * insert rate.
 */
export async function benchPipeline(): Promise<void> {
  const service = await startService();
  const batches = eventBatches(service.experiment, BATCH);
  const target: Target = {
    url: `${service.url}/v1/events`,
    pid: service.pid,
    method: "POST",
    headers: { "x-api-key": service.key, "content-type": "application/json" },
    body: () => batches.next(),
    status: 202,
  };
  const dropped = await measureBare(target);
  const inserted = await insertRate(EVENTS);
  const stored = await measureService(service, target);
  print({ dropped, inserted, ...stored });
  await measureAnswers(service, target);
  await service.stop();
}

async function measureBare(target: Target): Promise<Measured> {
  const bare = await startBare();
  const parsing = await bare.standIn(target);
  await sendAll({ ...parsing, url: `${parsing.url}parse` }, BATCHES / 4);
  const before = cpuSeconds(bare.pid);
  const seconds = await secondsOf(() => sendAll({ ...parsing, url: `${parsing.url}parse` }, BATCHES));
  const cpu = cpuSeconds(bare.pid) - before;
  const note = `peak RSS ${peakRssMiB(bare.pid).toFixed(0)} MiB`;
  await bare.stop();
  return { perSecond: EVENTS / seconds, cpuUsPerEvent: (cpu / EVENTS) * 1e6, note };
}

async function measureService(service: Service, target: Target) {
  await sendAll(target, BATCHES / 10);
  await storedAll(service);
  const [server, engine] = service.pids();
  if (server === undefined || engine === undefined) throw new Error("The service has no event engine.");
  const before = [cpuSeconds(server), cpuSeconds(engine)] as const;
  const startedAt = performance.now();
  const acceptedSeconds = await secondsOf(() => sendAll(target, BATCHES));
  await storedAll(service);
  const seconds = (performance.now() - startedAt) / 1000;
  const perEvent = (cpu: number) => (cpu / EVENTS) * 1e6;
  const [serverUs, engineUs] = [
    perEvent(cpuSeconds(server) - before[0]),
    perEvent(cpuSeconds(engine) - before[1]),
  ];
  return {
    accepted: EVENTS / acceptedSeconds,
    stored: {
      perSecond: EVENTS / seconds,
      cpuUsPerEvent: serverUs + engineUs,
      note: `CPU: service ${formatFigure(serverUs)} µs, engine ${formatFigure(engineUs)} µs; peak RSS: service ${peakRssMiB(server).toFixed(0)} MiB, engine ${peakRssMiB(engine).toFixed(0)} MiB`,
    },
  };
}

/** Sends events at a fixed rate, however long the answers take, while the engine stores them. */
async function measureAnswers(service: Service, target: Target): Promise<void> {
  let refused = 0;
  const onRefused = () => {
    refused += 1;
  };
  const steady = { ...target, perSecond: STEADY_EVENTS_PER_SECOND / BATCH, onRefused };
  const [latencies] = await steadyLoad([steady], sleep(STEADY_MS));
  const waiting = await queuedBatches(service);
  const of = (share: number) => formatFigure(quantile(latencies!, share));
  const count = (value: number) => value.toLocaleString("en-US");
  printTable(
    "answers at a steady rate",
    `Milliseconds from when a request was due until its 202 ended: ${count(STEADY_EVENTS_PER_SECOND)} events/s in batches of ${BATCH} for ` +
      `${STEADY_MS / 1000} s; generator, service and engine share the cores. Aim: p99 below 50 ms.`,
    [
      [
        "accepted batches",
        "p50",
        "p99",
        "max",
        "refused: the queue was full",
        "waiting to be stored at the end",
      ],
      [count(latencies!.length), of(0.5), of(0.99), of(1), count(refused), count(waiting)],
    ],
  );
}

/**
 * Waits until the queue is empty. A batch leaves the queue when the event store has synced it and includes it
 * in query results.
 */
async function storedAll(service: Service): Promise<void> {
  while ((await queuedBatches(service)) !== 0) await sleep(POLL_MS);
}

async function queuedBatches({ url }: Service): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^assay_queue_batches (\d+)$/m.exec(metrics)![1]);
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

interface Figures {
  readonly dropped: Measured;
  readonly inserted: Measured;
  readonly accepted: number;
  readonly stored: Measured;
}

function print({ dropped, inserted, accepted, stored }: Figures): void {
  const ratios = (perSecond: number) => [
    formatFigure(perSecond / inserted.perSecond),
    formatFigure(perSecond / dropped.perSecond),
    `${formatFigure(perSecond)}/s`,
  ];
  const row = (name: string, { perSecond, cpuUsPerEvent, note }: Measured) => [
    name,
    ...ratios(perSecond),
    `${formatFigure(cpuUsPerEvent)} µs`,
    note,
  ];
  printTable(
    "pipeline",
    `${EVENTS.toLocaleString("en-US")} events in batches of ${BATCH}, one run; generator, service and engine share the cores. Higher ratios are better.`,
    [
      ["events per second", "÷ engine alone", "÷ bare + `JSON.parse`", "events/s", "CPU per event", ""],
      row("HTTP to queryable", stored),
      ["of which until the last 202", ...ratios(accepted), "", ""],
      row("reference: the engine alone, `@clickhouse/client`, same tables, 5,000 rows each", inserted),
      row("reference: bare `node:http` that parses and drops", dropped),
    ],
  );
}
