import autocannon from "autocannon";
import { cpuSeconds } from "./process-stat.ts";

const CONNECTIONS = 32;
/** How often the generator checks whether it is done. This is the error of a round's duration. */
const SAMPLE_MS = 20;

/** One contestant: where to send which requests, and which process to watch. */
export interface Target {
  readonly url: string;
  readonly pid: number;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  /** Makes the body of one request. */
  readonly body?: () => Buffer;
  readonly status: number;
}

/** One round of one contestant. */
export interface Load {
  readonly perSecond: number;
  /** CPU time of the server's process, all threads, in microseconds. */
  readonly cpuUsPerRequest: number;
}

/** Sends `amount` requests as fast as answers arrive. Throws when an answer's status is not the target's. */
export async function runLoad(target: Target, amount: number): Promise<Load> {
  const { url, pid, method, headers, body } = target;
  const before = cpuSeconds(pid);
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    amount,
    sampleInt: SAMPLE_MS,
    requests: [
      {
        method,
        headers: { ...headers },
        ...(body ? { setupRequest: (request) => ({ ...request, body: body() }) } : {}),
      },
    ],
  });
  const cpu = cpuSeconds(pid) - before;
  const answers = Object.entries(result.statusCodeStats ?? {});
  const stray = answers.find(([status]) => Number(status) !== target.status);
  if (stray || result.errors > 0)
    throw new Error(`${method} ${url}: ${result.errors} errors, statuses ${JSON.stringify(answers)}.`);
  return { perSecond: amount / result.duration, cpuUsPerRequest: (cpu / amount) * 1e6 };
}
