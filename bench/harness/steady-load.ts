import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "./load.ts";

const CONNECTIONS = 64;
const TICK_MS = 1;

/** A target that gets requests at a fixed rate, however long its answers take. */
export interface SteadyTarget extends Target {
  readonly perSecond: number;
  /** Called for each 503 (overloaded). If present, a 503 is not a failure. */
  readonly onRefused?: () => void;
}

/**
 * Sends requests to all targets at the same time until `until` settles. Returns every response time per
 * target in milliseconds, counted from when the request was due, so requests that wait behind a slow answer
 * count as slow too. Throws as soon as an answer's status is not its target's.
 */
export async function steadyLoad(
  targets: readonly SteadyTarget[],
  until: Promise<unknown>,
): Promise<readonly (readonly number[])[]> {
  let isOver = false;
  const over = until.finally(() => {
    isOver = true;
  });
  const latencies = await Promise.all(targets.map((target) => askSteadily(target, () => isOver)));
  await over;
  return latencies;
}

async function askSteadily(target: SteadyTarget, isOver: () => boolean): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const startedAt = performance.now();
  const answers: Promise<number | null>[] = [];
  let failure: unknown = null;
  while (!isOver() && failure === null) {
    const due = ((performance.now() - startedAt) / 1000) * target.perSecond;
    while (answers.length < due) {
      const answer = latencyOf(target, agent, startedAt + (answers.length / target.perSecond) * 1000);
      answer.catch((error: unknown) => {
        failure ??= error;
      });
      answers.push(answer);
    }
    await sleep(TICK_MS);
  }
  const latencies = await Promise.all(answers);
  agent.destroy();
  return latencies.filter((latency) => latency !== null);
}

/** Null for a request that was refused. */
function latencyOf(
  { url, method, headers, body, status, onRefused }: SteadyTarget,
  agent: Agent,
  dueAt: number,
): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      response.resume();
      response.on("end", () => {
        if (response.statusCode === status) return resolve(performance.now() - dueAt);
        if (response.statusCode !== 503 || onRefused === undefined)
          return reject(new Error(`${url}: ${response.statusCode}`));
        onRefused();
        resolve(null);
      });
    });
    sent.on("error", reject);
    sent.end(body?.());
  });
}
