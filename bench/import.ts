import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { anonymousMiB } from "./harness/process-stat.ts";
import { startProgram } from "./harness/program.ts";
import { type Service, startService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { startStalledStore } from "./harness/stalled-store.ts";
import { printTable } from "./harness/table.ts";
import { tempFolder } from "./harness/temp-folder.ts";

const ROWS = sized(1_000_000, 2_000);
const FEW_ROWS = ROWS / 10;
const ROUNDS = sized(3, 1);
const POLL_MS = 50;
const SAMPLE_MS = 20;
const MIB = 1024 ** 2;

interface Round {
  readonly parsedPerSecond: number;
  readonly importedPerSecond: number;
  readonly storedPerSecond: number;
}

/** Compares an import with csv-parse alone over the same bytes, and shows that memory does not grow with the file. */
export async function benchImport(): Promise<void> {
  const folder = await tempFolder();
  const few = await writeCsv(join(folder, "few.csv"), FEW_ROWS);
  const all = await writeCsv(join(folder, "all.csv"), ROWS);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRate(all));
  const { size } = await stat(all);
  print(rounds, { size, memory: await measureMemory(few, all) });
}

/** Writes rows of about 90 bytes: one exposure and one outcome per user. */
async function writeCsv(path: string, rows: number): Promise<string> {
  const sentAt = new Date().toISOString();
  function* lines() {
    yield "event_id,type,experiment_id,user_id,timestamp,business_metric,value\n";
    for (let number = 0; number < rows; number++) {
      const rest = number % 2 === 0 ? "," : "answer_accepted,1";
      const type = number % 2 === 0 ? "exposure" : "business_event";
      const id = String(number).padStart(9, "0");
      yield `${rows}-${id},${type},answer-style,user-${id.slice(0, -1)},${sentAt},${rest}\n`;
    }
  }
  await pipeline(Readable.from(joined(lines())), createWriteStream(path));
  return path;
}

function* joined(lines: Iterable<string>): Generator<string> {
  let text = "";
  for (const line of lines) {
    text += line;
    if (text.length < MIB) continue;
    yield text;
    text = "";
  }
  yield text;
}

async function measureRate(file: string): Promise<Round> {
  const parsed = await parseAlone(file);
  const service = await startService();
  const access = { url: service.url, key: await secretKey(service) };
  const startedAt = performance.now();
  await importFile(file, ROWS, access);
  const imported = (performance.now() - startedAt) / 1000;
  await storedAll(service);
  const stored = (performance.now() - startedAt) / 1000;
  await service.stop();
  return {
    parsedPerSecond: ROWS / parsed,
    importedPerSecond: ROWS / imported,
    storedPerSecond: ROWS / stored,
  };
}

/**
 * Peaks of the service's own memory during an import of a few rows and of all rows, each after a warm-up
 * import.
 */
async function measureMemory(few: string, all: string): Promise<readonly [few: number, all: number]> {
  const store = await startStalledStore();
  const service = await startService({ eventsUrl: store.url });
  store.stall();
  const access = { url: service.url, key: await secretKey(service) };
  const peak = async (file: string, rows: number) => {
    let highest = 0;
    const timer = setInterval(() => {
      highest = Math.max(highest, anonymousMiB(service.pid));
    }, SAMPLE_MS);
    await importFile(file, rows, access).finally(() => clearInterval(timer));
    return highest;
  };
  await importFile(few, FEW_ROWS, access);
  await importFile(all, ROWS, access);
  const peaks = [await peak(few, FEW_ROWS), await peak(all, ROWS)] as const;
  await service.stop();
  return peaks;
}

async function secretKey({ call }: Service): Promise<string> {
  return (await call<{ key: string }>("POST", "/v1/keys", { scope: "secret" })).key;
}

/** Seconds that csv-parse takes in a separate process. */
async function parseAlone(path: string): Promise<number> {
  const program = startProgram([fileURLToPath(new URL("./harness/parse-csv.ts", import.meta.url)), path]);
  const [{ seconds, rows }] = (await once(program.child, "message")) as [{ seconds: number; rows: number }];
  if (rows !== ROWS) throw new Error(`csv-parse read ${rows} rows.`);
  return seconds;
}

async function importFile(
  path: string,
  rows: number,
  { url, key }: Pick<Service, "url" | "key">,
): Promise<void> {
  const headers = { "x-api-key": key, "content-type": "text/csv" };
  const sent = request(`${url}/v1/events/import`, { method: "POST", headers, agent: false });
  const answered = once(sent, "response");
  await pipeline(createReadStream(path), sent);
  const [response] = (await answered) as [IncomingMessage];
  const body = (await json(response)) as { events?: number };
  if (body.events !== rows) throw new Error(`The import returned ${JSON.stringify(body).slice(0, 500)}`);
}

/** Waits until the queue is empty, so that everything can be queried. */
async function storedAll({ url }: Pick<Service, "url">): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (/^assay_queue_batches 0$/m.test(metrics)) return;
    await sleep(POLL_MS);
  }
}

interface Printed {
  readonly size: number;
  readonly memory: readonly [few: number, all: number];
}

function print(rounds: readonly Round[], { size, memory: [few, all] }: Printed): void {
  const spread = (value: (round: Round) => number) => formatSpread(spreadOf(rounds.map(value)));
  const row = (name: string, perSecond: (round: Round) => number) => [
    name,
    spread((round) => perSecond(round) / round.parsedPerSecond),
    spread(perSecond),
  ];
  const [fewRows, allRows] = [FEW_ROWS.toLocaleString("en-US"), ROWS.toLocaleString("en-US")];
  printTable(
    "import",
    `${allRows} CSV rows, ${formatFigure(size / MIB)} MiB, imported by the service while its embedded engines store them. ` +
      `Median (min–max) of ${ROUNDS} rounds, each on a newly started service. Higher ratios are better. Peak memory of the ` +
      `service alone, without the mapped queue file, while the event store hangs: ${formatFigure(few)} MiB ` +
      `for an import of ${fewRows} rows, ${formatFigure(all)} MiB for ${allRows}, a ratio of ${formatFigure(all / few)}.`,
    [
      ["rows per second", "÷ csv-parse alone", "rows/s"],
      row(
        "POST /v1/events/import, until its answer: all on disk",
        ({ importedPerSecond }) => importedPerSecond,
      ),
      row("the same, until all can be queried", ({ storedPerSecond }) => storedPerSecond),
      row("reference: `csv-parse` alone, in a process of its own", ({ parsedPerSecond }) => parsedPerSecond),
    ],
  );
}
