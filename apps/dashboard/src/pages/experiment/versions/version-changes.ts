import type { Wire } from "../../../api/types.ts";
import { type FieldChange, fieldChange } from "../../../format/field-change.ts";
import { isJudged } from "../../../format/metric-words.ts";

export type Version = Wire<"ExperimentVersion">;

const FIELDS = [
  "name",
  "status",
  "hypothesis",
  "description",
  "allocation",
  "coverage",
  "control",
  "decision",
] as const;

/** Lists what one version changed against another: fields of the experiment, of each variant, and of each metric. */
export function versionChanges(before: Version, after: Version): readonly FieldChange[] {
  return [
    ...FIELDS.flatMap((field) => changeOf(field, before[field], after[field])),
    ...partChanges("variant", byKey(before.variants ?? []), byKey(after.variants ?? [])),
    ...partChanges("metric", byName(before.metrics), byName(after.metrics)),
  ];
}

type Parts = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

const byKey = (variants: NonNullable<Version["variants"]>): Parts =>
  new Map(variants.map((variant) => [variant.key, variant]));
const byName = (metrics: Version["metrics"]): Parts =>
  new Map(metrics.map(({ judge, ...metric }) => [metric.name, { ...metric, ...judgeFields(judge) }]));

/** A judge's fields one by one, so that a changed rubric does not hide what stayed. */
function judgeFields(judge: Version["metrics"][number]["judge"]): Readonly<Record<string, unknown>> {
  const fields = Object.entries(judge ?? {});
  return Object.fromEntries(fields.map(([field, value]) => [`judge's ${field}`, value]));
}

/** A part that came or went is one change; of one that stayed each field is. */
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

/** Empty when nothing changed. The name of a part stays as it is written. */
function changeOf(field: string, from: unknown, to: unknown): readonly FieldChange[] {
  if (JSON.stringify(from ?? null) === JSON.stringify(to ?? null)) return [];
  return [{ ...fieldChange(field, from, to), field }];
}

/** Says which metrics begin a new series with a version, and why when nobody changed them; empty when none does. */
export function newSeriesInWords(before: Version, after: Version): readonly string[] {
  const old = new Map(before.metrics.map((metric) => [metric.name, metric]));
  return after.metrics.flatMap((metric) => {
    const was = old.get(metric.name);
    if (was === undefined || was.metric_version === metric.metric_version) return [];
    const series = `${metric.name} begins a new series (version ${was.metric_version} → ${metric.metric_version})`;
    const isSame =
      JSON.stringify({ ...was, metric_version: 0 }) === JSON.stringify({ ...metric, metric_version: 0 });
    return isJudged(metric) && isSame
      ? [`${series}: its definition stayed, and its judge is another model or was to begin anew.`]
      : [`${series}: it measures something else.`];
  });
}

/** Says what a change meant for users who had a variant. */
export function assignmentsInWords(after: Version, users: number): string {
  if (after.status === "stopped")
    return "Stopped: nobody is assigned any more, everybody gets control behaviour.";
  if (after.status === "draft") return "A draft: nobody is assigned yet.";
  if (users === 0) return "Assignments unchanged: no user has been seen yet.";
  const kept = new Intl.NumberFormat("en").format(users);
  return `Assignments unchanged: ${kept} ${users === 1 ? "user" : "users"} kept.`;
}

/** Chooses the versions to compare from the address: the newest and the one before it when it says nothing, or nonsense. */
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
