import { type AssignableExperiment, compileBuckets, type WireBuckets } from "@assay/bucketing";
import { type Fields, fieldsOf, isInteger, isText, textOr } from "./fields.ts";
import type { UnitKind } from "./subject.ts";

/** One answer of `GET /v1/config`, ready for look-ups. */
export interface ConfigSnapshot {
  readonly version: number;
  /** By id and by name. If a name equals another experiment's id, the id wins. */
  readonly experiments: ReadonlyMap<string, ConfigExperiment>;
  /** The number of experiments left out because they could not be read. */
  readonly leftOut: number;
  /** The answer itself, unparsed. */
  readonly body: unknown;
}

export interface ConfigVariant {
  readonly key: string;
  /** The same in every config, and unique to each variant of each experiment. */
  readonly arm: string;
  readonly enabled: boolean;
  /** The experiment has ended and everybody gets this variant, so it needs no exposures. */
  readonly shipped: boolean;
  readonly prompt: string | null;
  readonly variables: Fields;
}

/** An experiment of the config, ready for look-ups. One that is not running has only its id, name and status. */
export type ConfigExperiment = AssignableExperiment<ConfigVariant> & {
  readonly name: string;
  /** As received: maps the digest of a QA user's id to the index of the user's variant. */
  readonly qa_users?: Fields | null;
  /** What the experiment assigns. Absent: users. Also absent when shipped, since everybody gets the same variant. */
  readonly unit?: UnitKind | undefined;
  /** As received: the names of the business metrics that its metrics read. */
  readonly business_metrics?: unknown;
};

/** An experiment of the config, checked. */
interface WireExperiment extends Omit<ConfigExperiment, "bucketCount" | "buckets"> {
  readonly shipped: boolean;
  readonly bucket_count: number;
  readonly buckets: WireBuckets;
}

/** Reads the body of `GET /v1/config`. Null when it is not a config. Leaves out experiments that cannot be read. */
export function parseConfig(body: unknown): ConfigSnapshot | null {
  const { experiments: listed, config_version: version } = fieldsOf(body);
  if (!Array.isArray(listed) || !isInteger(version)) return null;
  const readable = listed.flatMap(parseExperiment);
  const experiments = new Map(readable.map((experiment) => [experiment.name, experiment]));
  for (const experiment of readable) experiments.set(experiment.id, experiment);
  return { version, experiments, leftOut: listed.length - readable.length, body };
}

/** Empty when it cannot be read. */
function parseExperiment(value: unknown): readonly ConfigExperiment[] {
  const wire = fieldsOf(value) as unknown as WireExperiment;
  const { id, name, status, salt, bucket_count: bucketCount, buckets, variants, shipped } = wire;
  if (![id, name, status].every(isText)) return [];
  // Nobody has a variant, so the entry may lack the other fields.
  if (status !== "running") return [{ id, name, status } as ConfigExperiment];
  const isReadable =
    isText(salt) &&
    isInteger(bucketCount) &&
    bucketCount > 0 &&
    isListOf(buckets, (run) => isListOf(run, isInteger) && run.length === 2) &&
    // The bucket map refers to variants by position. If one were missing, it would refer to the wrong ones.
    isListOf(variants, (variant) => isText(fieldsOf(variant).key));
  return isReadable
    ? [
        {
          ...wire,
          unit: shipped ? undefined : wire.unit,
          bucketCount,
          buckets: compileBuckets(buckets),
          // A prompt or variables of a wrong type are ignored. The variant still assigns.
          variants: variants.map(({ key, enabled, prompt, variables }) => ({
            key,
            arm: `${id} ${key}`,
            enabled: enabled !== false,
            shipped,
            prompt: textOr(prompt, null),
            variables: fieldsOf(variables),
          })),
        },
      ]
    : [];
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(isItem);
}
