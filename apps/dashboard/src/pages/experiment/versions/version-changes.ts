import type { Wire } from "../../../api/types.ts";
import { type FieldChange, fieldChange } from "../../../format/field-change.ts";
import { handedOutWords } from "../../../format/handed-out.ts";
import { isJudged } from "../../../format/metric-words.ts";
import { countedUnits } from "../../../format/unit-words.ts";

export type Version = Wire<"ExperimentVersion">;

const FIELDS = [
  "name",
  "status",
  "hypothesis",
  "description",
  "allocation",
  "coverage",
  "assignment",
  "flag_key",
  "visibility",
  "control",
  "decision",
  "holdback",
  "rollout",
  "guard",
] as const;

/** Lists the changes between two versions: fields of the experiment, the variants and the metrics. */
export function versionChanges(before: Version, after: Version): readonly FieldChange[] {
  return [
    ...FIELDS.flatMap((field) => changeOf(field, before[field], after[field])),
    ...changeOf("holds", before.holds, after.holds),
    ...changeOf("QA users", before.qa_users, after.qa_users),
    ...partChanges("variant", byKey(before.variants ?? []), byKey(after.variants ?? [])),
    ...partChanges("decision", planOf(before), planOf(after)),
    ...partChanges("metric", byName(before.metrics), byName(after.metrics)),
  ];
}

/** The plan's fields, each compared separately. */
const planOf = ({ plan }: Version): Parts => new Map(plan === undefined ? [] : [["plan", plan]]);

type Parts = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

const byKey = (variants: NonNullable<Version["variants"]>): Parts =>
  new Map(variants.map((variant) => [variant.key, variant]));
const byName = (metrics: Version["metrics"]): Parts =>
  new Map(metrics.map(({ judge, ...metric }) => [metric.name, { ...metric, ...judgeFields(judge) }]));

/** Returns a judge's fields one by one, so that each is compared separately. */
function judgeFields(judge: Version["metrics"][number]["judge"]): Readonly<Record<string, unknown>> {
  const fields = Object.entries(judge ?? {});
  return Object.fromEntries(fields.map(([field, value]) => [`judge's ${field}`, value]));
}

/** An added or removed part counts as one change. Otherwise each changed field does. */
function partChanges(kind: string, before: Parts, after: Parts): readonly FieldChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [from, to] = [before.get(key), after.get(key)];
    if (from === undefined || to === undefined) return changeOf(`${kind} ${key}`, from, to);
    const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return fields.flatMap((field) =>
      changeOf(`${kind} ${key}: ${field.replaceAll("_", " ")}`, from[field], to[field]),
    );
  });
}

/** Empty when nothing changed. The name of a part stays unchanged. */
function changeOf(field: string, from: unknown, to: unknown): readonly FieldChange[] {
  if (JSON.stringify(from ?? null) === JSON.stringify(to ?? null)) return [];
  return [{ ...fieldChange(field, from, to), field }];
}

/** Describes which metrics start a new series with a version, and why. Empty when none does. */
export function newSeriesInWords(before: Version, after: Version): readonly string[] {
  const old = new Map(before.metrics.map((metric) => [metric.name, metric]));
  return after.metrics.flatMap((metric) => {
    const was = old.get(metric.name);
    if (was === undefined || was.metric_version === metric.metric_version) return [];
    const series = `${metric.name} starts a new series (version ${was.metric_version} → ${metric.metric_version})`;
    const isSame =
      JSON.stringify({ ...was, metric_version: 0 }) === JSON.stringify({ ...metric, metric_version: 0 });
    return isJudged(metric) && isSame
      ? [`${series}: the definition is unchanged, but the judge model changed or a new series was requested.`]
      : [`${series}: it measures something else.`];
  });
}

/** Describes what a change meant for users with a variant. */
export function assignmentsInWords(after: Version, users: number): string {
  if (after.status === "stopped") return "Stopped: Assay no longer gives anybody a variant.";
  if (after.holdback?.to === null) return `Shipped: ${handedOutWords(after)}`;
  if (after.status === "shipped") return `Shipped: everybody gets ${after.shipped_variant}.`;
  if (after.status === "archived") return "Archived: Assay gives nobody a variant.";
  if (after.status === "draft") return "Draft: no users are assigned yet.";
  if (after.holds.at(-1)?.to === null)
    return "Held: users get control behavior until it is resumed, then their own variant again.";
  if (users === 0) return "Assignments unchanged: no users yet.";
  return `Assignments unchanged: ${countedUnits(users, after.unit)} kept their variant.`;
}

/** Reads the versions to compare from the URL; by default, the newest and the one before it. */
export function comparedVersions(
  versions: readonly Version[],
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): readonly [before: Version, after: Version] | null {
  const find = (wanted: string | undefined) => versions.find(({ version }) => String(version) === wanted);
  const after = find(to) ?? versions[0];
  const before =
    find(from) ?? versions.find(({ version }) => version < (after?.version ?? 0)) ?? versions.at(-1);
  return before === undefined || after === undefined ? null : [before, after];
}
