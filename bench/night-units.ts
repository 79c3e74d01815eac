import { addDays } from "@assay/domain";
import { addTraffic, forgetStates, makeNightWorld } from "./harness/night-world.ts";
import { EVENTS_PER_USER, EXPERIMENTS, type NightForm } from "./harness/nightly-data.ts";
import { sized } from "./harness/sized.ts";
import { formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { measureNight } from "./nightly.ts";

/** Users, or conversations, of each experiment. */
const UNITS = sized(5_000, 400);
const ROUNDS = sized(3, 1);
const FORMS: readonly NightForm[] = ["users", "conversations", "runs"];
const METRICS: Readonly<Record<NightForm, string>> = {
  users: "users, 5 metrics of calls and outcomes",
  conversations: "conversations, four to a user, the same metrics",
  runs: "users, 5 metrics of agents' runs",
};

/**
 * Measures nights of experiments on conversations, and of metrics of runs, against those on users: as many units with as many events,
 * in turn in one run.
 */
export async function benchNightUnits(): Promise<void> {
  const worlds = [];
  for (const form of FORMS) {
    const world = await makeNightWorld(form);
    const traffic = { users: UNITS, first: 0, end: EVENTS_PER_USER, replacesAll: true };
    const { events } = await addTraffic(world, traffic, 1);
    // It folds the days that covariates are read from, and leaves the state from which the nights begin.
    await measureNight(world, addDays(world.night, -1));
    worlds.push({ form, world, events, nights: [] as Awaited<ReturnType<typeof measureNight>>[] });
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const { world, nights } of worlds) {
      await forgetStates(world, world.night);
      nights.push(await measureNight(world));
    }
  const [users] = worlds;
  const rows = worlds.map(({ form, events, nights }) => {
    const cpu = nights.map(({ serviceCpu, engineCpu }) => serviceCpu + engineCpu);
    const ratios = (values: readonly number[], of: readonly number[]) =>
      formatSpread(spreadOf(values.map((value, round) => value / of[round]!)));
    const cpuOfUsers = users!.nights.map(({ serviceCpu, engineCpu }) => serviceCpu + engineCpu);
    return [
      `${events.toLocaleString("en-US")}: ${METRICS[form]}`,
      formatSpread(spreadOf(nights.map(({ seconds }) => seconds))),
      formatSpread(spreadOf(cpu)),
      ratios(cpu, cpuOfUsers),
      ratios(
        nights.map(({ engineCpu }) => engineCpu),
        users!.nights.map(({ engineCpu }) => engineCpu),
      ),
      nights.map(({ serviceRss }) => serviceRss.toFixed(0)).join(", "),
    ];
  });
  printTable(
    "night-units",
    `${EXPERIMENTS} experiments, ${UNITS} units each, ${EVENTS_PER_USER} events of a unit, with three runs and their ends. Each night on a newly started ` +
      `service, from the states of nights before; median (min–max) of ${ROUNDS} nights in turn. Reference: the same round's night on users.`,
    [
      ["events", "seconds", "CPU seconds", "CPU ÷ users", "engine's CPU ÷ users", "service's peak RSS, MiB"],
      ...rows,
    ],
  );
}
