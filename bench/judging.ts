import { setTimeout as sleep } from "node:timers/promises";
import { judgeRequest } from "@assay/domain";
import { type BenchJudge, startJudge } from "./harness/judge.ts";
import { anonymousMiB, cpuSeconds } from "./harness/process-stat.ts";
import { type RunningService, runService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { tempFolder } from "./harness/temp-folder.ts";

const LATENCY_MS = 50;
const CONCURRENCY = 32;
const CALLS = sized(20_000, 100);
const BARE_REQUESTS = sized(4_000, 64);
/** Judgements at the beginning and at the end that are not timed. */
const EDGE = sized(500, 20);
const BATCH = 1_000;
const SAMPLE_MS = sized(250, 25);
const DAY_MS = 86_400_000;
/** On a large machine, uncollected garbage would hide real growth. */
const HEAP_MIB = 320;
const RUBRIC = "The answer names the number that was asked for and says nothing untrue.";

/**
 * Compares judging with a bare loop that sends as many parallel requests to the same judge, and watches the
 * memory of a long run.
 */
export async function benchJudging(): Promise<void> {
  const judge = await startJudge(LATENCY_MS);
  const service = await runService(await tempFolder(), {
    settings: {
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
      ASSAY_JUDGE_URL: judge.url,
      ASSAY_JUDGE_API_KEY: judge.apiKey,
      ASSAY_JUDGE_MODEL: judge.model,
    },
  });
  const day = await makeCalls(service);
  const before = await bareRate(judge);
  const run = await watchJudging(service, judge, day);
  const after = await bareRate(judge);
  const bare = (before + after) / 2;
  printTable(
    "judging",
    `${CALLS.toLocaleString("en-US")} judgements, ${CONCURRENCY} at a time, by a local judge that takes ${LATENCY_MS} ms. Reference: bare fetches of the same ` +
      `requests with the same parallelism, before and after (${formatFigure(before)} and ${formatFigure(after)}/s). ` +
      `Memory: anonymous resident, heap limited to ${HEAP_MIB} MiB; each figure is the median of a tenth of the run.`,
    [
      [
        "judgements/s",
        "÷ bare",
        "CPU of the service, ms per judgement",
        "MiB at the start",
        "in the middle",
        "at the end",
        "longest wait of the event loop, ms",
      ],
      [
        formatFigure(run.perSecond),
        formatFigure(run.perSecond / bare),
        formatFigure(run.cpuMs),
        ...run.mib.map((mib) => mib.toFixed(0)),
        formatFigure(await longestWaitMs(service)),
      ],
    ],
  );
  await service.stop();
}

/** Yesterday's calls of this many users, all to be judged. */
async function makeCalls(service: RunningService): Promise<string> {
  const quality = { kind: "ratio", category: "quality", method_default: "auto", metric_version: 1 };
  const judge = { rubric: RUBRIC, sample_rate: 1 };
  const { id } = await service.call<{ id: string }>("POST", "/v1/experiments", {
    name: "judged",
    salt: "judged",
    bucket_count: 1000,
    allocation: ["control", "treatment"].map((variant) => ({ variant, weight: 1 })),
    metrics: [{ name: "right", ...quality, shared_org_wide: false, judge }],
  });
  const { key } = await service.call<{ key: string }>("POST", "/v1/keys", { scope: "secret" });
  const timestamp = new Date(Date.now() - DAY_MS).toISOString();
  for (let first = 0; first < CALLS; first += BATCH / 2) {
    const users = Array.from({ length: BATCH / 2 }, (_, index) => first + index);
    const events = users.flatMap((user) => eventsOf(user, { experiment_id: id, timestamp }));
    const headers = { "content-type": "application/json", "x-api-key": key };
    const request = { method: "POST", headers, body: JSON.stringify({ events }) };
    const { status } = await fetch(`${service.url}/v1/events`, request);
    if (status !== 202) throw new Error(`POST /v1/events: ${status}`);
  }
  return timestamp.slice(0, 10);
}

const inputOf = (user: number) => `What is the number of ${user}? ${"Explain it in full. ".repeat(20)}`;
const answerOf = (user: number) =>
  `The number of ${user} is ${user * 7}. ${"That is how it is. ".repeat(50)}`;

function eventsOf(user: number, common: Readonly<Record<string, string>>) {
  const of = { ...common, user_id: `u-${user}`, variant: user % 2 === 0 ? "control" : "treatment" };
  return [
    { ...of, event_id: `e-${user}`, type: "exposure" },
    {
      ...of,
      event_id: `c-${user}`,
      type: "model_call",
      prompt: `user: ${inputOf(user)}`,
      response: answerOf(user),
    },
  ];
}

/** Requests per second of a loop that only sends requests and reads answers. */
async function bareRate({ url, apiKey, model }: BenchJudge): Promise<number> {
  let next = 0;
  const loop = async () => {
    for (let user = next++; user < BARE_REQUESTS; user = next++) {
      const question = { input: inputOf(user), answer: answerOf(user) };
      const { messages } = judgeRequest({ rubric: RUBRIC, scale: "pass_fail", sampleRate: 1 }, question);
      const headers = { "content-type": "application/json", authorization: `Bearer ${apiKey}` };
      const body = JSON.stringify({ model, messages, temperature: 0 });
      const answer = await fetch(`${url}/chat/completions`, { method: "POST", headers, body });
      if (!answer.ok) throw new Error(`The judge answers ${answer.status}.`);
      await answer.json();
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
  return (1_000 * BARE_REQUESTS) / (performance.now() - startedAt);
}

interface Watched {
  readonly perSecond: number;
  readonly cpuMs: number;
  /** At the start, in the middle, at the end. */
  readonly mib: readonly number[];
}

async function watchJudging(service: RunningService, judge: BenchJudge, day: string): Promise<Watched> {
  const [pid = 0] = service.pids();
  const offset = await judge.charged();
  const samples: {
    readonly at: number;
    readonly done: number;
    readonly cpu: number;
    readonly mib: number;
  }[] = [];
  const night = service.call("POST", "/v1/admin/pipeline-runs", { day });
  for (let done = 0; done < CALLS - EDGE; ) {
    done = (await judge.charged()) - offset;
    if (done >= EDGE)
      samples.push({ at: performance.now(), done, cpu: cpuSeconds(pid), mib: anonymousMiB(pid) });
    await sleep(SAMPLE_MS);
  }
  await night;
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) throw new Error("Nothing was judged.");
  const judged = last.done - first.done;
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  const middle = Math.floor(samples.length / 2);
  const mibOf = (from: number) => spreadOf(samples.slice(from, from + tenth).map(({ mib }) => mib)).median;
  return {
    perSecond: (1_000 * judged) / (last.at - first.at),
    cpuMs: (1_000 * (last.cpu - first.cpu)) / judged,
    mib: [mibOf(0), mibOf(middle), mibOf(samples.length - tenth)],
  };
}

/** From the service's own metrics, since they were last read. */
async function longestWaitMs({ url }: RunningService): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error("The service does not report the lag of its event loop.");
  return 1_000 * Number(seconds);
}
