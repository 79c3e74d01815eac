import { setTimeout as sleep } from "node:timers/promises";
import { startBare } from "./harness/bare.ts";
import { cpuSeconds, processTree, pssMiB } from "./harness/process-stat.ts";
import { startService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";

/** V8 collects garbage in the background until about ten seconds after the start. */
const SETTLE_SECONDS = sized(20, 0);
const SECONDS = sized(30, 1);
const CPU_AIM_PERCENT = 1;
const MEMORY_AIM_MIB = 400;

/** Measures what the service needs when it is idle. */
export async function benchIdle(): Promise<void> {
  const [service, bare] = [await startService({ isLaunched: true }), await startBare()];
  await sleep(SETTLE_SECONDS * 1000);
  const pids = processTree(service.pid);
  const all = [...pids, bare.pid];
  const before = all.map(cpuSeconds);
  await sleep(SECONDS * 1000);
  const cpu = all.map((pid, index) => ((cpuSeconds(pid) - before[index]!) / SECONDS) * 100);
  const memory = all.map(pssMiB);
  const total = (values: readonly number[]) => values.slice(0, -1).reduce((sum, value) => sum + value, 0);
  const names = ["launcher", "service", "event engine"];
  const row = (name: string, percent: number, mib: number) => [
    name,
    `${formatFigure(percent)}%`,
    `${mib.toFixed(0)} MiB`,
    formatFigure(mib / memory.at(-1)!),
  ];
  const verdict = (isMet: boolean) => (isMet ? "met" : "**missed**");
  printTable(
    "idle",
    `Measured for ${SECONDS} s, starting ${SETTLE_SECONDS} s after start-up. One experiment, no requests. Memory is PSS: shared pages count in part.`,
    [
      ["process", "CPU", "memory", "memory ÷ bare `node:http`"],
      ...pids.map((_, index) => row(names[index] ?? "another", cpu[index]!, memory[index]!)),
      row("together", total(cpu), total(memory)),
      row("bare `node:http`", cpu.at(-1)!, memory.at(-1)!),
      [
        "aim, together",
        `< ${CPU_AIM_PERCENT}%: ${verdict(total(cpu) < CPU_AIM_PERCENT)}`,
        `≤ ${MEMORY_AIM_MIB} MiB: ${verdict(total(memory) <= MEMORY_AIM_MIB)}`,
        "",
      ],
    ],
  );
  await Promise.all([service.stop(), bare.stop()]);
}
