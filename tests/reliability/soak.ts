import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expectOk, send } from "../e2e/support/service.ts";
import { account, faultsOf, untilDrained } from "./account.ts";
import { signIn } from "./deployment.ts";
import { type Night, prepareNight } from "./night.ts";
import { groundOf, tableOf, writeChapter } from "./report.ts";
import { experimentBody, openStage, type Stage } from "./stage.ts";
import type { Supervised } from "./supervised.ts";
import { type CycleReading, cycleMinima, median, theilSenSlope } from "./trend.ts";

const LOAD = { batchSize: 60, batchesPerSecond: 15 };
/** No fault is caused. */
const TIMES = { loadMs: 0, restartMs: 0, postgresDownMs: 0, natsDownMs: 0, eventStoreDownMs: 0, frozenMs: 0 };
const SAMPLE_MS = 3_000;
const LINE_MS = 30_000;
const ODD_JOB_MS = 20_000;
/** Caches, pools and V8's young generation fill up at the beginning. */
const WARM_UP_SHARE = 0.4;
/** The trend over the rest that counts as growth, as a share of the median. */
const FLAT_SHARE = 0.15;
/** Fewer say nothing about a trend. */
const LEAST_CYCLES = 5;
const HOUR_MS = 3_600_000;
const MIB = 1024 ** 2;

interface Sample extends CycleReading {
  /** Of the whole process, as counted by the kernel. */
  readonly residentBytes: number;
  /** Live objects in the main thread's heap. A leak in our code shows here first. */
  readonly oldBytes: number;
}

/**
 * Runs a deployment under steady load for some minutes and reports its memory; false when the memory grows.
 */
export async function soak(minutes: number): Promise<boolean> {
  const stage = await openStage({ ...LOAD, times: TIMES });
  const { deployment, sender } = stage;
  const night = await prepareNight(stage);
  const samples = new Map<string, Sample[]>(deployment.processes.map(({ name }) => [name, []]));
  const started = performance.now();
  const lastsMs = minutes * 60_000;
  const isOver = () => performance.now() - started >= lastsMs;
  sender.start();
  const jobs = doOddJobs(stage, night, isOver);
  let nextLineMs = 0;
  while (!isOver()) {
    await sleep(SAMPLE_MS);
    const atMs = performance.now() - started;
    for (const process of deployment.processes) {
      samples.get(process.name)?.push({ atMs, ...(await memoryOf(process)) });
    }
    if (atMs < nextLineMs) continue;
    console.log(`${Math.round(atMs / 1000)} s: ${lineOf(samples)}`);
    nextLineMs = atMs + LINE_MS;
  }
  const done = await jobs;
  await sender.pause();
  await untilDrained(deployment);
  const books = await account(deployment, stage);
  const found = faultsOf(books);
  const seen = sender.takeSeen();
  const trends = [...samples].map(([name, taken]) => trendOf(name, taken, lastsMs));
  const failures = Object.entries(seen.failures).map(([kind, times]) => `${times} × ${kind}`);
  const text = [
    `${minutes} minutes, ${books.acknowledged.toLocaleString("en-US")} events at ${LOAD.batchSize * LOAD.batchesPerSecond} a second; ` +
      `beside them ${done.configs} changes of the config, ${done.rotations} rotations of a key, ${done.nights} nightly analyses and ` +
      `${done.reads} reads of the dashboard's pages. Failed requests: ${failures.join(", ") || "none"}. ` +
      (found.length === 0
        ? "Afterwards every event was stored and counted once."
        : `WRONG: ${found.join("; ")}.`),
    `${await groundOf(deployment)}\n`,
    tableOf([
      [
        "process",
        "resident, after warm-up",
        "at the end",
        "trend per hour",
        "heap that survives",
        "trend per hour",
        "whole cycles",
        "judged",
      ],
      ["---", "--:", "--:", "--:", "--:", "--:", "--:", "---"],
      ...trends.map(({ cells }) => cells),
    ]),
    `\nIn MiB, read every ${SAMPLE_MS / 1000} s; the first ${WARM_UP_SHARE * 100} % are warm-up. Of each whole cycle, from one major garbage ` +
      `collection to the next, the least counts. Trends are Theil–Sen slopes over these; flat: both come to less than ${FLAT_SHARE * 100} % of ` +
      `the median over that time, in at least ${LEAST_CYCLES} cycles.\n`,
  ].join("\n");
  console.log(text);
  await writeChapter("soak", text);
  return found.length === 0 && trends.every(({ isFlat }) => isFlat);
}

const OLD_SPACE = /^nodejs_heap_space_size_used_bytes\{space="old"\} (\S+)$/m;
const MAJOR_COLLECTIONS = /^nodejs_gc_duration_seconds_count\{kind="major"\} (\S+)$/m;

/** Watches only the service's own processes, not the memory of the servers. */
async function memoryOf({ url, pid }: Supervised): Promise<Omit<Sample, "atMs">> {
  const status = readFileSync(`/proc/${pid()}/status`, "utf8");
  const metrics = await expectOk(send<string>(`${url}/metrics`, "GET"));
  return {
    residentBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
    oldBytes: Number(OLD_SPACE.exec(metrics)?.[1]),
    major: Number(MAJOR_COLLECTIONS.exec(metrics)?.[1] ?? 0),
  };
}

function trendOf(name: string, samples: readonly Sample[], lastsMs: number) {
  const settled = samples.filter(({ atMs }) => atMs >= lastsMs * WARM_UP_SHARE);
  const resident = trendIn(settled, ({ residentBytes }) => residentBytes);
  const old = trendIn(settled, ({ oldBytes }) => oldBytes);
  const isFlat = resident.isFlat && old.isFlat && old.cycles >= LEAST_CYCLES;
  const cells = [
    name,
    mib(resident.first),
    mib(resident.last),
    mib(resident.perHour),
    mib(old.median),
    mib(old.perHour),
    String(old.cycles),
    isFlat ? "flat" : old.cycles < LEAST_CYCLES ? "too few cycles" : "GROWS",
  ];
  return { cells, isFlat };
}

function trendIn(samples: readonly Sample[], bytesOf: (sample: Sample) => number) {
  const least = cycleMinima(samples, bytesOf);
  const perHour = theilSenSlope(least.map((sample) => [sample.atMs / HOUR_MS, bytesOf(sample)] as const));
  const hours = ((least.at(-1)?.atMs ?? 0) - (least[0]?.atMs ?? 0)) / HOUR_MS;
  const middle = median(least.map(bytesOf));
  const [first = Number.NaN, last = Number.NaN] = [least[0], least.at(-1)].map((one) => one && bytesOf(one));
  return {
    perHour,
    median: middle,
    first,
    last,
    cycles: least.length,
    isFlat: perHour * hours < FLAT_SHARE * middle,
  };
}

const mib = (bytes: number): string => (bytes / MIB).toFixed(0);

const lineOf = (samples: ReadonlyMap<string, readonly Sample[]>): string =>
  [...samples]
    .map(
      ([name, taken]) =>
        `${name} ${mib(taken.at(-1)?.residentBytes ?? 0)}/${mib(taken.at(-1)?.oldBytes ?? 0)} MiB`,
    )
    .join(", ");

/** Keys are made by whoever signed in a quarter of an hour before at most. */
const SIGNED_IN_MS = 10 * 60_000;

/** What people do besides the load: change experiments, rotate keys, run nights, open pages. */
async function doOddJobs({ deployment, plan }: Stage, night: Night, isOver: () => boolean) {
  const done = { configs: 0, rotations: 0, nights: 0, reads: 0 };
  let headers = await signIn(deployment.env);
  let signedInAt = performance.now();
  const call = <T>(method: string, path: string, body?: unknown) => {
    const { url } = deployment.apis[(done.reads + done.configs) % deployment.apis.length]!;
    return expectOk(send<T>(`${url}/v1/${path}`, method, { headers, body }));
  };
  const { id } = await call<{ id: string }>("POST", "experiments", experimentBody("edited", 1000));
  while (!isOver()) {
    await sleep(ODD_JOB_MS);
    if (performance.now() - signedInAt > SIGNED_IN_MS) {
      headers = await signIn(deployment.env);
      signedInAt = performance.now();
    }
    await call("PUT", `experiments/${id}`, { description: `Change ${done.configs}` });
    done.configs += 1;
    await call("POST", "keys", { scope: "publishable" });
    done.rotations += 1;
    for (const { id: loaded } of plan.experiments) {
      for (const page of ["live", "traffic", "health"]) await call("GET", `experiments/${loaded}/${page}`);
    }
    for (const page of ["experiments", "usage", "audit"]) await call("GET", page);
    done.reads += 2 * 3 + 3;
    if (done.configs % 6 !== 0) continue;
    // Experiments of constant size: an analysis needs memory per user, and the load's experiments grow.
    const day = new Date().toISOString().slice(0, 10);
    for (const experiment_id of night.experimentIds)
      await call("POST", "admin/pipeline-runs", { day, experiment_id });
    done.nights += night.experimentIds.length;
  }
  return done;
}
