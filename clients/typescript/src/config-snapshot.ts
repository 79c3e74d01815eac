import { type AssignableExperiment, compileBuckets, type WireBuckets } from "@assay/bucketing";
import { type Fields, fieldsOf, isInteger, isText, textOr } from "./fields.ts";
import type { UnitKind } from "./subject.ts";

/** One answer of `GET /v1/config`, ready for look-ups. */
export interface ConfigSnapshot {
  readonly version: number;
  /** By id and by name. If a name equals another experiment's id, the id wins. */
  readonly experiments: ReadonlyMap<string, ConfigExperiment>;
  /** How many experiments were left out because they could not be read. */
  readonly leftOut: number;
  /** The answer itself. */
  readonly body: unknown;
}

export interface ConfigVariant {
  readonly key: string;
  /** Stable over configs, and unique to each variant of each experiment. */
  readonly arm: string;
  readonly enabled: boolean;
  /** The experiment has ended, and everybody gets this variant: nobody is exposed to a difference. */
  readonly shipped: boolean;
  readonly prompt: string | null;
  readonly variables: Fields;
}

/** An experiment of the config, ready for look-ups. One that is not running has its id, name and status only. */
export type ConfigExperiment = AssignableExperiment<ConfigVariant> & {
  readonly name: string;
  /** As it came: by the digest of a QA user, the index of the user's variant. */
  readonly qa_users?: Fields | null;
  /** What is assigned; absent: users, as in a shipped experiment, whose variant is everybody's. */
  readonly unit?: UnitKind | undefined;
  /** As it came: the names of business metrics that its metrics read. */
  readonly business_metrics?: unknown;
};

/** An experiment of the config, checked. */
interface WireExperiment extends Omit<ConfigExperiment, "bucketCount" | "buckets"> {
  readonly shipped: boolean;
  readonly bucket_count: number;
  readonly buckets: WireBuckets;
}

/** Reads the body of `GET /v1/config`; null when it is not one. An experiment that cannot be read is left out. */
export function parseConfig(body: unknown): ConfigSnapshot | null {
  const { experiments: listed, config_version: version } = fieldsOf(body);
  if (!Array.isArray(listed) || !isInteger(version)) return null;
  const readable = listed.flatMap(parseExperiment);
  const experiments = new Map(readable.map((experiment) => [experiment.name, experiment]));
  for (const experiment of readable) experiments.set(experiment.id, experiment);
  return { version, experiments, leftOut: listed.length - readable.length, body };
}

/** None when it cannot be read. */
function parseExperiment(value: unknown): readonly ConfigExperiment[] {
  const wire = fieldsOf(value) as unknown as WireExperiment;
  const { id, name, status, salt, bucket_count: bucketCount, buckets, variants, shipped } = wire;
  if (![id, name, status].every(isText)) return [];
  // Nobody has a variant, so nothing else of it is read and the entry may lack it.
  if (status !== "running") return [{ id, name, status } as ConfigExperiment];
  const isReadable =
    isText(salt) &&
    isInteger(bucketCount) &&
    bucketCount > 0 &&
    isListOf(buckets, (run) => isListOf(run, isInteger) && run.length === 2) &&
    // The bucket map names variants by position: with one missing, it would name the wrong ones.
    isListOf(variants, (variant) => isText(fieldsOf(variant).key));
  return isReadable
    ? [
        {
          ...wire,
          unit: shipped ? undefined : wire.unit,
          bucketCount,
          buckets: compileBuckets(buckets),
          // A prompt or variables of a wrong type are ignored: the variant still assigns.
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
