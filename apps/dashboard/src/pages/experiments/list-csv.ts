import type { ExperimentOverview } from "../../api/types.ts";
import { STATES, usersOf } from "../../format/states.ts";
import { toCsv } from "../../ui/download.ts";
import { healthOf, healthWord } from "./list-filter.ts";

const COLUMNS: readonly (readonly [
  title: string,
  read: (item: ExperimentOverview) => string | number | null,
])[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["tags", ({ tags }) => tags.join(", ")],
  ["state", ({ state }) => STATES[state].word],
  ["users", usersOf],
  ["primary_metric", ({ primary }) => primary?.metric ?? null],
  ["treatment", ({ primary }) => primary?.treatment ?? null],
  ["relative_effect", ({ primary }) => primary?.relative_effect ?? null],
  ["relative_ci_low", ({ primary }) => primary?.relative_ci_low ?? null],
  ["relative_ci_high", ({ primary }) => primary?.relative_ci_high ?? null],
  ["health", (item) => healthWord(healthOf(item))],
  ["analyzed_at", ({ last_run }) => last_run?.computed_at ?? null],
  ["owner", ({ created_by }) => created_by?.name ?? null],
  ["created_at", ({ created_at }) => created_at],
];

/** Formats the experiments of the list as CSV, in its order; effects and bounds relative to control, as shares. */
export function listCsv(items: readonly ExperimentOverview[]): string {
  return toCsv([
    COLUMNS.map(([title]) => title),
    ...items.map((item) => COLUMNS.map(([, read]) => read(item))),
  ]);
}
