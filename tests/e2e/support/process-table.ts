import { execFileSync } from "node:child_process";

interface Row {
  readonly pid: number;
  readonly group: number;
}

/** Lists the processes of a group, orphans included: a process keeps its group when its parent dies. */
export function groupOf(leader: number): readonly number[] {
  return readTable().flatMap(({ pid, group }) => (group === leader ? [pid] : []));
}

/** Whether a process is alive. A zombie, which only waits to be reaped, is not. */
export const isAlive = (pid: number): boolean => readTable().some((row) => row.pid === pid);

function readTable(): readonly Row[] {
  return execFileSync("ps", ["-A", "-o", "pid=", "-o", "pgid=", "-o", "stat="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state?.startsWith("Z"))
    .map(([pid, group]) => ({ pid: Number(pid), group: Number(group) }));
}
