import { type ExecFileOptions, execFile } from "node:child_process";
import { promisify } from "node:util";
import { benchExperiment } from "./contestants/assay.ts";
import { EXPERIMENT_NAME } from "./contestants/contestant.ts";
import { startAnsweringServer } from "./harness/answering-server.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { ratioOf } from "./harness/time-calls.ts";

interface CallTimes {
  readonly name: string;
  /** Nanoseconds per call, one entry per round. */
  readonly p50: readonly number[];
  readonly p90: readonly number[];
}

/** The JSON object that the bench of a client in another language prints. */
interface Report {
  readonly runtime: string;
  /** Our client first. */
  readonly known: readonly CallTimes[];
  readonly new: readonly CallTimes[];
  /** The reference first. */
  readonly calls: readonly CallTimes[];
  /** Events per second of processor time, by step. */
  readonly events: Readonly<Record<string, readonly number[]>>;
  /** MiB, by the number of distinct users so far. */
  readonly memory: Readonly<Record<string, number>>;
}

export interface ForeignProgram {
  readonly command: string;
  /** The service's URL is appended. */
  readonly args: readonly string[];
  readonly options?: ExecFileOptions;
}

/** Runs the bench of a client in another language against a service that answers from memory, and prints its tables. */
export async function benchForeignClient(title: string, program: ForeignProgram): Promise<void> {
  const config = { config_version: 1, experiments: [benchExperiment(EXPERIMENT_NAME, 0)] };
  const url = await startAnsweringServer(config);
  const { command, args, options } = program;
  const { stdout } = await promisify(execFile)(command, [...args, url], { ...options, encoding: "utf8" });
  const report = JSON.parse(stdout) as Report;
  const heading = `${title}, ${report.runtime}`;
  printTable(
    `${heading}: a decision`,
    "One running 50/50 experiment that includes everybody. Time per call: median (min–max) of the rounds, timed in batches of 50. " +
      "**Known**: our client checks that the exposure is already recorded; the others record none. **New**: the exposure is made into " +
      "an event and serialized.",
    [
      ["user", "library", "÷ ours, p50", "p50, µs", "p90, µs"],
      ...rowsOf(report.known).map((row) => ["known", ...row]),
      ...rowsOf(report.new).map((row) => ["new", ...row]),
    ],
  );
  printTable(`${heading}: its calls`, "As above. Ratios are to the first row.", [
    ["call", "÷ first row, p50", "p50, µs", "p90, µs"],
    ...rowsOf(report.calls),
  ]);
  printTable(
    `${heading}: events and memory`,
    "Events per second of the whole process's CPU time, acknowledged over HTTP by a server that answers from memory. " +
      "Memory is measured after this many distinct users, each with an exposure.",
    [
      ["figure", "value"],
      ...Object.entries(report.events).map(([step, rates]) => [
        `${step}, events/s`,
        formatSpread(spreadOf(rates)),
      ]),
      ...Object.entries(report.memory).map(([users, mib]) => [
        `memory, ${Number(users).toLocaleString("en-US")} users, MiB`,
        formatFigure(mib),
      ]),
    ],
  );
}

function rowsOf(times: readonly CallTimes[]): readonly (readonly string[])[] {
  return times.map(({ name, p50, p90 }) => [
    name,
    formatSpread(ratioOf(p50, times[0]!.p50)),
    formatSpread(spreadOf(p50.map(toMicroseconds))),
    formatSpread(spreadOf(p90.map(toMicroseconds))),
  ]);
}

const toMicroseconds = (ns: number) => ns / 1000;
