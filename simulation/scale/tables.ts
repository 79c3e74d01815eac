import { markdownTable } from "../report/format.ts";
import { costOf } from "./cost.ts";
import { headroomDays, reportedDays } from "./day-plans.ts";
import { INPUTS, type Input, valuesOf } from "./inputs.ts";
import { breaksAt, LIMITS } from "./limits.ts";
import { nightOf, ratesOf } from "./rates.ts";
import { effectsOf } from "./sensitivity.ts";
import { simulateDay } from "./simulate-day.ts";
import { sizeDeployment } from "./size-deployment.ts";

/** The loads that the report shows. */
export const VOLUMES = [1e7, 1e8, 1e9, 1e10] as const;
const SHOWN_EFFECTS = 12;

/** Writes a count in words: 1.2 million. */
export function inWords(count: number): string {
  const [unit, name] =
    count >= 1e12
      ? [1e12, " trillion"]
      : count >= 1e9
        ? [1e9, " billion"]
        : count >= 1e6
          ? [1e6, " million"]
          : [1, ""];
  return `${figure(count / unit)}${name}`;
}

/** Machines by role at each volume. */
export function machinesTable(): string {
  const deployments = VOLUMES.map((eventsPerDay) => sizeDeployment(valuesOf({ eventsPerDay })));
  const names = deployments[0]!.roles.map(({ name }) => name);
  const rows = names.map((name) => [
    name,
    ...deployments.map(({ roles }) => {
      const { machines, vcpus, diskGiB } = roles.find((role) => role.name === name)!;
      return `${machines} × ${vcpus} vCPU${diskGiB === 0 ? "" : `, ${diskGiB.toLocaleString("en-US")} GiB`}`;
    }),
  ]);
  const totals = deployments.map(({ roles }) => [
    roles.reduce((sum, { machines }) => sum + machines, 0),
    roles.reduce((sum, { machines, vcpus }) => sum + machines * vcpus, 0),
  ]);
  rows.push(["**together**", ...totals.map(([machines, vcpus]) => `${machines} machines, ${vcpus} vCPU`)]);
  rows.push(["streams", ...deployments.map(({ streams }) => String(streams))]);
  return markdownTable(["role", ...VOLUMES.map((volume) => `${inWords(volume)} a day`)], rows);
}

/** What determined the sizes at one volume. */
export function reasonsTable(eventsPerDay: number): string {
  const { roles } = sizeDeployment(valuesOf({ eventsPerDay }));
  return markdownTable(
    ["role", "sized by"],
    roles.map(({ name, because }) => [name, because]),
  );
}

/** The load on the machines. */
export function ratesTable(): string {
  const columns = VOLUMES.map((eventsPerDay) => {
    const values = valuesOf({ eventsPerDay });
    const [rates, night] = [ratesOf(values), nightOf(values)];
    return [
      `${figure(rates.mean)} / ${figure(rates.peak)} / ${figure(rates.burst)}`,
      figure(rates.apiCores),
      `${figure(rates.burstMessages)} of ${figure(rates.streamMessages)}`,
      `${figure((rates.peak * values.drainHeadroom) / rates.appendRows)}`,
      figure(sizeDeployment(values).storedGiB / 1024),
      `${figure(night.engineCoreHours)} + ${figure(night.serviceCoreHours)}`,
    ];
  });
  const names = [
    "events/s: mean / peak / burst",
    "api cores in a burst",
    "messages/s in a burst, of one stream's capacity",
    "inserts/s per table while draining at the peak",
    "TiB stored once, after a year",
    "core-hours of a night: event store + pipeline threads",
  ];
  return markdownTable(
    ["", ...VOLUMES.map(inWords)],
    names.map((name, row) => [name, ...columns.map((column) => column[row]!)]),
  );
}

/** Dollars a month. */
export function costTable(): string {
  const costs = VOLUMES.map((eventsPerDay) => {
    const values = valuesOf({ eventsPerDay });
    return costOf(sizeDeployment(values), values);
  });
  const row = (name: string, of: (cost: (typeof costs)[number]) => number) => [
    name,
    ...costs.map((cost) => formatDollars(of(cost))),
  ];
  return markdownTable(
    ["$ a month", ...VOLUMES.map(inWords)],
    [
      row("machines", ({ compute }) => compute),
      row("disks", ({ disks }) => disks),
      row("network", ({ network }) => network),
      row("one back-up", ({ backup }) => backup),
      row("**together**", ({ total }) => total),
      row("per million events", ({ perMillionEvents }) => perMillionEvents),
    ],
  );
}

/** The limits of today's code. The limit that is reached first comes first. */
export function limitsTable(): string {
  const rows = LIMITS.map((limit) => ({ limit, one: breaksAt(limit, 1), cluster: breaksAt(limit) }));
  const order = (at: number | null) => at ?? Number.POSITIVE_INFINITY;
  rows.sort((a, b) => order(a.one) - order(b.one));
  const shown = (at: number | null) => (at === null ? "not below 10 trillion" : inWords(at));
  return markdownTable(
    ["limit", "one event server: events/day", "as many shards as the model gives", "then", "way out"],
    rows.map(({ limit, one, cluster }) => [
      limit.name,
      shown(one),
      shown(cluster),
      limit.symptom,
      limit.remedy,
    ]),
  );
}

/** The days with faults. */
export function daysTable(eventsPerDay: number): string {
  const values = valuesOf({ eventsPerDay });
  const days = reportedDays(values, sizeDeployment(values).workers);
  const rows = days.map((plan) => {
    const day = simulateDay(plan);
    return [
      plan.name,
      inWords(day.refusals),
      duration(day.longestRefusalS),
      inWords(day.lostByClients),
      inWords(day.largestBacklog),
      `${figure((day.largestBacklog * values.eventBytes) / 1024 ** 3)} GiB`,
      duration(day.oldestS),
      duration(day.drainS),
    ];
  });
  return markdownTable(
    [
      "day",
      "events refused, counting each retry",
      "longest refusal",
      "dropped by full clients",
      "largest backlog",
      "its size per replica",
      "oldest event waits",
      "drained after",
    ],
    rows,
  );
}

/** An hour's outage, by the spare capacity of workers and event store. */
export function headroomTable(eventsPerDay: number): string {
  const rows = headroomDays(valuesOf({ eventsPerDay })).map(([headroom, plan]) => {
    const { drainS } = simulateDay(plan);
    return [`${headroom} × peak`, `${inWords(plan.storePerS)}/s`, duration(drainS)];
  });
  return markdownTable(["capacity of workers and event store", "events/s", "drained after"], rows);
}

/** The inputs that move the bill most. */
export function effectsTable(eventsPerDay: number): string {
  const rows = effectsOf(eventsPerDay)
    .slice(0, SHOWN_EFFECTS)
    .map(({ name, dollars: [low, high], vcpus }) => {
      const { unit, low: from, high: to } = INPUTS[name];
      return [
        `\`${name}\``,
        `${from} – ${to} ${unit}`,
        `${formatDollars(low)} – ${formatDollars(high)}`,
        vcpus.join(" – "),
      ];
    });
  return markdownTable(["input", "from – to", "$ a month", "vCPU"], rows);
}

/** All inputs with their sources. */
export function inputsTable(): string {
  const rows = Object.entries(INPUTS).map(
    ([name, { value, low, high, unit, kind, meaning }]: [string, Input]) => [
      `\`${name}\``,
      `${value.toLocaleString("en-US")} (${low.toLocaleString("en-US")}–${high.toLocaleString("en-US")})`,
      unit,
      kind,
      meaning,
    ],
  );
  return markdownTable(["input", "value (range)", "unit", "kind", "what it is"], rows);
}

function formatDollars(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(2);
}

function duration(seconds: number): string {
  if (seconds === 0) return "–";
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 2 * 3_600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

/** Two or three significant digits. */
function figure(value: number): string {
  if (value >= 1_000) return Number(value.toPrecision(3)).toLocaleString("en-US");
  return String(Number(value.toPrecision(value >= 100 ? 3 : 2)));
}
