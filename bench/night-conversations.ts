import { addDays } from "@assay/domain";
import { addTraffic, forgetSince, lastFold, makeNightWorld, type NightWorld } from "./harness/night-world.ts";
import { EVENTS_PER_USER, EXPERIMENTS } from "./harness/nightly-data.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { measureNight, type Night, USERS } from "./nightly.ts";

const ROUNDS = sized(3, 1);
const FORMS = ["users", "conversations"] as const;
type Form = (typeof FORMS)[number];

/**
 * Compares whole nights of experiments on conversations, four per user, with nights of experiments on users that have as many units and
 * events. Each night runs on a newly started service; the forms take turns. Prints a table per number of units, smaller numbers first.
 */
export async function benchNightConversations(): Promise<void> {
  const worlds = await ofForms((form) => makeNightWorld(form));
  for (const units of sized([USERS / 10, USERS], [USERS / 10])) {
    const traffic = { users: units, first: 0, end: EVENTS_PER_USER, replacesAll: true };
    const eachForm = <T>(run: (world: NightWorld, form: Form) => Promise<T>) =>
      ofForms((form) => run(worlds[form], form));
    await eachForm((world, form) => addTraffic(world, { ...traffic, form, days: "earlier" }, 0));
    // This night reads all events, and folds all days into the sums from which covariates are read.
    const first = await eachForm((world) => measureNight(world, addDays(world.night, -1)));
    const left = await eachForm((world) => lastFold(world));
    await eachForm((world, form) =>
      addTraffic(world, { ...traffic, form, days: "last", replacesAll: false }, 0),
    );
    const rounds: Readonly<Record<Form, Night>>[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await eachForm((world, form) => forgetSince(world, left[form]));
      rounds.push(await eachForm((world) => measureNight(world)));
    }
    printNights(units, first, rounds);
  }
}

/** Runs something for each form in turn. */
async function ofForms<T>(run: (form: Form) => Promise<T>): Promise<Record<Form, T>> {
  const users = await run("users");
  return { users, conversations: await run("conversations") };
}

const FIGURES: readonly (readonly [head: string, of: (night: Night) => number])[] = [
  ["seconds", ({ seconds }) => seconds],
  ["CPU", ({ engineCpu, serviceCpu }) => engineCpu + serviceCpu],
  ["engine's CPU", ({ engineCpu }) => engineCpu],
  ["service's CPU", ({ serviceCpu }) => serviceCpu],
  ["service's peak MiB", ({ serviceRss }) => serviceRss],
  ["engine's peak MiB", ({ engineRss }) => engineRss],
];

function printNights(
  units: number,
  first: Readonly<Record<Form, Night>>,
  rounds: readonly Readonly<Record<Form, Night>>[],
): void {
  const events = (EXPERIMENTS * units * EVENTS_PER_USER).toLocaleString("en-US");
  const rows = FIGURES.map(([head, of]) => {
    const spread = (form: Form) => formatSpread(spreadOf(rounds.map((round) => of(round[form]))));
    const ratio = (round: Readonly<Record<Form, Night>>) => of(round.conversations) / of(round.users);
    return [
      head,
      spread("users"),
      spread("conversations"),
      formatSpread(spreadOf(rounds.map(ratio))),
      formatFigure(ratio(first)),
    ];
  });
  printTable(
    "night-conversations",
    `${EXPERIMENTS} experiments, ${units.toLocaleString("en-US")} units each, ${EVENTS_PER_USER} events per unit: ${events} events. Whole nights with their tests, ` +
      `each on a newly started service. Median (min–max) of ${ROUNDS} rounds in turn. The first night reads all events.`,
    [["what", "users", "conversations", "conversations ÷ users", "first night, ÷ users"], ...rows],
  );
}
