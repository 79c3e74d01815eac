import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in /proc in hundredths of a second (USER_HZ, the same on every architecture of Node's). */
const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1024;

/** Reads the processor time of a process in seconds: user and system, all threads. Throws when it is gone. */
export function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Seconds that a thread ran, and seconds that it could have run but had to wait for a core. */
export interface ThreadTime {
  readonly ran: number;
  readonly waited: number;
}

/** Reads the times of a process's main thread: in Node the one with the event loop. */
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

/** Reads the resident memory of a process that no file stands behind, in MiB: what is mapped, such as the queue, is left out. */
export function anonymousMiB(pid: number): number {
  return kibField(`/proc/${pid}/status`, "RssAnon") / KIB_PER_MIB;
}

/** Lists the process and everything it started, parents first. */
export function processTree(pid: number): readonly number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((candidate) => Number.isInteger(candidate) && parentOf(candidate) === pid);
  return [pid, ...children.flatMap(processTree)];
}

/** Tells whether the process is still there. */
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

/** The fields of /proc/<pid>/stat after the command, whose name may hold anything, spaces included: state is the first. */
function statFields(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function kibField(file: string, name: string): number {
  const value = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(file, "utf8"))?.[1];
  if (value === undefined) throw new Error(`${file} has no ${name}.`);
  return Number(value);
}
