import type { ExperimentOverview } from "../../api/types.ts";
import { STATES, usersOf } from "../../format/states.ts";
import type { Option } from "../../ui/Field.tsx";

/** The filters of the list: the search part of the URL. */
export interface ListFilter {
  readonly q?: string | undefined;
  /** A state, or a status as `status:running`. */
  readonly state?: string | undefined;
  readonly health?: string | undefined;
  /** Id of the person who created it. */
  readonly owner?: string | undefined;
  readonly tag?: string | undefined;
  /** "yes": only experiments that need attention. */
  readonly attention?: string | undefined;
  /** The column to sort by, with a leading "-" for largest first. By default, experiments that need attention come first. */
  readonly sort?: string | undefined;
  /** "yes": the archived experiments, which the list has not otherwise. */
  readonly archived?: string | undefined;
}

export type HealthWord = "unknown" | "fine" | "info" | "warning" | "critical";

const STATUS_WORDS = {
  draft: "All drafts",
  running: "All running",
  stopped: "All stopped",
  shipped: "All shipped",
  archived: "All archived",
} as const;
const HEALTH_WORDS: Readonly<Record<HealthWord, string>> = {
  critical: "Critical",
  warning: "Warning",
  info: "Note",
  fine: "Fine",
  unknown: "No run yet",
};

/** The sortable columns. Each compares two experiments, the smaller one first. */
const COMPARE = {
  name: by(({ name }) => name.toLowerCase()),
  state: by(({ state }) => STATES[state].word),
  primary: by(({ primary }) => primary?.relative_effect ?? null),
  progress: by(({ plan_status: plan }) =>
    plan === null ? null : plan.decided_on === null ? plan.information : 2,
  ),
  users: by(usersOf),
  health: by((item) => Object.keys(HEALTH_WORDS).indexOf(healthOf(item))),
  analyzed: by(({ last_run }) => last_run?.computed_at ?? null),
} as const;
export type SortColumn = keyof typeof COMPARE;

/** Compares by a value; experiments without one are last, in either direction. */
function by(read: (item: ExperimentOverview) => string | number | null) {
  return (one: ExperimentOverview, other: ExperimentOverview, direction: 1 | -1): number => {
    const [a, b] = [read(one), read(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return direction * (a < b ? -1 : Number(a > b));
  };
}

/** Reads the sort from the URL; null: those that need attention first. */
export function sortOf({
  sort = "",
}: ListFilter): { readonly column: SortColumn; readonly direction: 1 | -1 } | null {
  const column = sort.replace(/^-/, "");
  return Object.hasOwn(COMPARE, column)
    ? { column: column as SortColumn, direction: sort.startsWith("-") ? -1 : 1 }
    : null;
}

/** Returns the sort after a press on a column's header: ascending, then descending, then the default. */
export function sortAfterPress(filter: ListFilter, column: SortColumn): string | undefined {
  const now = sortOf(filter);
  if (now?.column !== column) return column;
  return now.direction === 1 ? `-${column}` : undefined;
}

/** Returns the experiments that match the filter, sorted as it says; by default those that need attention first, then the newest. */
export function listed(
  items: readonly ExperimentOverview[],
  filter: ListFilter,
): readonly ExperimentOverview[] {
  const sort = sortOf(filter);
  return items
    .filter((item) => passes(item, filter))
    .sort(
      (one, other) =>
        (sort === null ? 0 : COMPARE[sort.column](one, other, sort.direction)) ||
        Number(other.needs_attention) - Number(one.needs_attention) ||
        other.created_at.localeCompare(one.created_at),
    );
}

function passes(item: ExperimentOverview, { q, state, health, owner, tag, attention }: ListFilter): boolean {
  const text = [item.name, ...item.tags].join(" ").toLowerCase();
  const words = (q ?? "").toLowerCase().split(/\s+/);
  return (
    words.every((word) => text.includes(word)) &&
    (state === undefined || state === item.state || state === `status:${item.status}`) &&
    (health === undefined || health === healthOf(item)) &&
    (owner === undefined || owner === item.created_by?.id) &&
    (tag === undefined || item.tags.includes(tag)) &&
    (attention === undefined || item.needs_attention)
  );
}

/** Derives the health of an experiment's data from the remarks of its latest run. */
export function healthOf({ worst_remark, last_run }: ExperimentOverview): HealthWord {
  if (worst_remark !== null) return worst_remark;
  return last_run === null ? "unknown" : "fine";
}

export function healthWord(health: HealthWord): string {
  return HEALTH_WORDS[health];
}

/** Returns whether any filter is set. */
export function isNarrowed({ q, state, health, owner, tag, attention }: ListFilter): boolean {
  return [q, state, health, owner, tag, attention].some((value) => value !== undefined && value !== "");
}

const ANY = "any";

/** The statuses and states that occur; `any` means no filter. */
export function stateOptions(items: readonly ExperimentOverview[]): readonly Option<string>[] {
  const states = [...new Set(items.map(({ state }) => state))];
  const statuses = [...new Set(items.map(({ status }) => status))];
  return [
    { value: ANY, label: "Any state" },
    ...statuses.map((status) => ({ value: `status:${status}`, label: STATUS_WORDS[status] })),
    ...states.map((state) => ({ value: state, label: STATES[state].word })),
  ];
}

/** The health filters, worst first. */
export function healthOptions(): readonly Option<string>[] {
  return [
    { value: ANY, label: "Any health" },
    ...Object.entries(HEALTH_WORDS).map(([value, label]) => ({ value, label })),
  ];
}

/** The owners of the experiments, by name. */
export function ownerOptions(items: readonly ExperimentOverview[]): readonly Option<string>[] {
  const owners = new Map(
    items.flatMap(({ created_by: owner }) => (owner === null ? [] : [[owner.id, owner.name] as const])),
  );
  const named = [...owners].map(([value, label]) => ({ value, label }));
  return [
    { value: ANY, label: "Any owner" },
    ...named.sort((one, other) => one.label.localeCompare(other.label)),
  ];
}

/** The tags of the experiments, by name. */
export function tagOptions(items: readonly ExperimentOverview[]): readonly Option<string>[] {
  const tags = [...new Set(items.flatMap((item) => item.tags))].sort((one, other) =>
    one.localeCompare(other),
  );
  return [{ value: ANY, label: "Any tag" }, ...tags.map((tag) => ({ value: tag, label: tag }))];
}

/** Returns the filter of a choice; undefined for `any`. */
export function chosen(value: string): string | undefined {
  return value === ANY ? undefined : value;
}
