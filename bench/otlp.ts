import { setTimeout as sleep } from "node:timers/promises";
import { callBatches } from "./harness/call-batches.ts";
import { runLoad, type Target } from "./harness/load.ts";
import { cpuSeconds } from "./harness/process-stat.ts";
import { type Service, startService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { startStalledStore } from "./harness/stalled-store.ts";
import { printTable } from "./harness/table.ts";

const ROUNDS = sized(4, 1);
/** Calls per request, and requests per round. */
const CASES = sized(
  [
    { size: 20, requests: 300 },
    { size: 250, requests: 40 },
  ],
  [{ size: 5, requests: 40 }],
);
/** Calls per second compared with `/v1/events`. */
const AIM = 0.3;
const POLL_MS = 2_000;

const EXPLANATION =
  "Exposures and model calls with texts of 1.7 KB, as spans in protobuf and as events in JSON; a trace has two spans. The event store " +
  "hangs, as in `events`. Accepted: calls acknowledged per second, median (min–max) of the rounds. CPU: the service's processor time " +
  `per call, all threads, until every trace is settled half a minute later and its calls are in the queue. Aim: at least ${AIM}.`;

/** Compares OpenTelemetry with `POST /v1/events`. */
export async function benchOtlp(): Promise<void> {
  const rows: (readonly string[])[] = [];
  for (const one of CASES) rows.push(await compare(one));
  printTable("otlp", EXPLANATION, [
    ["calls per request", "accepted, OTLP ÷ events", "CPU, events ÷ OTLP", "aim", "events themselves"],
    ...rows,
  ]);
}

async function compare({ size, requests }: (typeof CASES)[number]): Promise<readonly string[]> {
  const store = await startStalledStore();
  const service = await startService({ eventsUrl: store.url });
  store.stall();
  const { key } = await service.call<{ readonly key: string }>("POST", "/v1/keys", { scope: "secret" });
  const batches = callBatches(service.experiment, size);
  const target = (path: string, type: string, status: number, body: () => Buffer): Target => ({
    ...{ url: `${service.url}${path}`, pid: service.pid, method: "POST", status, body },
    headers: { "x-api-key": key, "content-type": type },
  });
  const events = target("/v1/events", "application/json", 202, batches.events);
  const traces = target("/v1/otlp/v1/traces", "application/x-protobuf", 200, batches.traces);
  const [ratios, rates, cpu] = [[] as number[], [] as number[], { events: 0, traces: 0 }];
  for (let round = 0; round <= ROUNDS; round++) {
    const reference = await runLoad(events, requests);
    const load = await runLoad(traces, requests);
    cpu.events += reference.cpuUsPerRequest / size / (ROUNDS + 1);
    cpu.traces += load.cpuUsPerRequest / size / (ROUNDS + 1);
    // The first round is slower, because the code is compiled during it.
    if (round === 0) continue;
    rates.push(reference.perSecond * size);
    ratios.push(load.perSecond / reference.perSecond);
  }
  const before = cpuSeconds(service.pid);
  await settled(service);
  cpu.traces += ((cpuSeconds(service.pid) - before) / (requests * size * (ROUNDS + 1))) * 1e6;
  await service.stop();
  const [accepted, spent] = [spreadOf(ratios), cpu.events / cpu.traces];
  const verdict = (value: number) => (value >= AIM ? "met" : "**missed**");
  return [
    String(size),
    formatSpread(accepted),
    formatFigure(spent),
    `${verdict(accepted.median)}, ${verdict(spent)}`,
    `${formatFigure(spreadOf(rates).median)} calls/s, ${formatFigure(cpu.events)} µs`,
  ];
}

interface Telemetry {
  readonly instrumentations: readonly { readonly waiting: number }[];
}

/** Waits until no call waits for the rest of its trace. */
async function settled(service: Service): Promise<void> {
  for (;;) {
    const { instrumentations } = await service.call<Telemetry>("GET", "/v1/telemetry");
    if (instrumentations.every(({ waiting }) => waiting === 0)) return;
    await sleep(POLL_MS);
  }
}
