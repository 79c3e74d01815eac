import { readdirSync, readFileSync } from "node:fs";

/** /proc counts CPU time in hundredths of a second (USER_HZ, the same on all of Node's architectures). */
const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1024;

/**
 * Reads the CPU time of a process in seconds: user and system, all threads. Throws when the process is gone.
 */
export function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Seconds that a thread ran, and seconds that it was ready but waited for a core. */
export interface ThreadTime {
  readonly ran: number;
  readonly waited: number;
}

/** Reads the times of a process's main thread, which in Node runs the event loop. */
export function mainThreadTime(pid: number): ThreadTime {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ").map(Number);
  return { ran: ran / 1e9, waited: waited / 1e9 };
}

/** Reads a process's share of memory in MiB: shared pages count in part (PSS). */
export function pssMiB(pid: number): number {
  return kibField(`/proc/${pid}/smaps_rollup`, "Pss") / KIB_PER_MIB;
}

/** Reads the largest resident memory that the process has had, in MiB (VmHWM). */
export function peakRssMiB(pid: number): number {
  return kibField(`/proc/${pid}/status`, "VmHWM") / KIB_PER_MIB;
}

/** Reads the anonymous resident memory of a process in MiB. Excludes mapped files, such as the queue. */
export function anonymousMiB(pid: number): number {
  return kibField(`/proc/${pid}/status`, "RssAnon") / KIB_PER_MIB;
}

/** Lists the process and its descendants, parents first. */
export function processTree(pid: number): readonly number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((candidate) => Number.isInteger(candidate) && parentOf(candidate) === pid);
  return [pid, ...children.flatMap(processTree)];
}

/** Returns whether the process still exists. */
export function isAlive(pid: number): boolean {
  return parentOf(pid) !== null;
}

function parentOf(pid: number): number | null {
  try {
    const [state, parent] = statFields(pid);
    return state === "Z" ? null : Number(parent);
  } catch {
    return null;
  }
}

/**
 * The fields of /proc/<pid>/stat after the command name, which may contain spaces. The first one is the
 * state.
 */
function statFields(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function kibField(file: string, name: string): number {
  const value = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(file, "utf8"))?.[1];
  if (value === undefined) throw new Error(`${file} has no ${name}.`);
  return Number(value);
}
