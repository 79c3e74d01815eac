import { type Bare, startBare } from "./harness/bare.ts";
import { compareHttp, HTTP_EXPLANATION, HTTP_HEAD, httpRow } from "./harness/compare-http.ts";
import { eventBatches } from "./harness/event-batches.ts";
import type { Target } from "./harness/load.ts";
import { startService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { startStalledStore } from "./harness/stalled-store.ts";
import { printTable } from "./harness/table.ts";

const ROUNDS = sized(4, 1);
/**
 * Requests per round. All rounds together stay under the queue's limit of 1 GiB, since nothing leaves the
 * queue here.
 */
const CASES = [
  { size: 1, requests: sized(30_000, 500), aim: null },
  { size: 50, requests: sized(8_000, 100), aim: 1.6 },
  { size: 500, requests: sized(800, 40), aim: null },
] as const;

const EXPLANATION =
  `${HTTP_EXPLANATION} The event store hangs during these rounds, so they show only the cost of accepting events: parse, check, and ` +
  "append to the queue with a sync. The part `pipeline` measures accepting and storing together.";

/** Compares `POST /v1/events` with a bare server that reads the body, and with one that also parses it. */
export async function benchEvents(): Promise<void> {
  const bare = await startBare();
  const rows: (readonly string[])[] = [];
  for (const batchCase of CASES) rows.push(...(await compareEvents(batchCase, bare)));
  printTable("events", EXPLANATION, [HTTP_HEAD, ...rows]);
  await bare.stop();
}

/** Each size gets a new service, because nothing is stored and the backlog is bounded. */
async function compareEvents(
  { size, requests, aim }: (typeof CASES)[number],
  bare: Bare,
): Promise<readonly (readonly string[])[]> {
  const store = await startStalledStore();
  const service = await startService({ eventsUrl: store.url });
  store.stall();
  const batches = eventBatches(service.experiment, size);
  const target: Target = {
    url: `${service.url}/v1/events`,
    pid: service.pid,
    method: "POST",
    headers: { "x-api-key": service.key, "content-type": "application/json" },
    body: () => batches.next(),
    status: 202,
  };
  const plain = await bare.standIn(target);
  const parsing = { ...plain, url: `${plain.url}parse` };
  const ratios = await compareHttp({
    service: target,
    references: [plain, parsing],
    rounds: ROUNDS,
    requests,
  });
  await service.stop();
  const name = `POST /v1/events, ${size} × ${Math.round(batches.bytesPerEvent)} B`;
  return [
    httpRow({ name, reference: "bare `node:http`", aim: null }, ratios[0]!),
    httpRow({ name, reference: "bare + `JSON.parse`", aim }, ratios[1]!),
  ];
}
