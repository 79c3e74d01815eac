import { sized } from "./sized.ts";
import { type Spread, spreadOf } from "./spread.ts";

const ROUNDS = sized(9, 1);
/** The kernel counts a thread's CPU time in steps of a few milliseconds. */
const ROUND_NS = sized(100e6, 1e6);

/** A short operation to time: runs `calls` times and returns a number that depends on the work. */
export interface Timed {
  readonly name: string;
  readonly calls: number;
  run(): number;
  /** Runs after each run, untimed. */
  settle?(): Promise<void>;
}

/**
 * Times each candidate in turn, in rounds. Returns nanoseconds per call for every round. Measures this
 * thread's CPU time, so other programs on the machine do not count.
 */
export async function timeCalls(candidates: readonly Timed[]): Promise<readonly (readonly number[])[]> {
  const times = candidates.map((): number[] => []);
  let sink = 0;
  for (let round = -1; round < ROUNDS; round++) {
    for (const [index, candidate] of candidates.entries()) {
      const { ns, result } = await timeRound(candidate);
      sink += result;
      // The first round warms up.
      if (round >= 0) times[index]!.push(ns);
    }
  }
  if (Number.isNaN(sink)) throw new Error("A candidate returned no number.");
  return times;
}

/** Repeats the work until it has used enough time to measure. */
async function timeRound({ calls, run, settle }: Timed): Promise<{ ns: number; result: number }> {
  let [spent, done, result] = [0, 0, 0];
  while (spent < ROUND_NS) {
    const before = process.threadCpuUsage();
    result += run();
    const { user, system } = process.threadCpuUsage(before);
    spent += (user + system) * 1000;
    done += calls;
    await settle?.();
  }
  return { ns: spent / done, result };
}

/** Divides two candidates round by round. */
export function ratioOf(times: readonly number[], reference: readonly number[]): Spread {
  return spreadOf(times.map((time, round) => time / reference[round]!));
}
