import { type AssignableExperiment, compileBuckets, type WireBuckets } from "@assay/bucketing";
import { type Fields, fieldsOf, isText, textOr } from "./fields.ts";

/** One answer of `GET /v1/config`, ready for look-ups. */
export interface ConfigSnapshot {
  readonly version: number;
  /** By id and by name; where a name is another experiment's id, the id wins. */
  readonly experiments: ReadonlyMap<string, ConfigExperiment>;
  /** How many experiments could not be read and are left out. */
  readonly unreadable: number;
  /** The answer itself. */
  readonly body: unknown;
}

export interface ConfigVariant {
  readonly key: string;
  /** The same in every config, and another one for each variant of each experiment. */
  readonly arm: string;
  readonly enabled: boolean;
  readonly prompt: string | null;
  readonly variables: Fields;
}

type ConfigExperiment = AssignableExperiment<ConfigVariant> & { readonly name: string };

/** An experiment as the config carries it, once it is checked. */
interface WireExperiment extends Omit<ConfigExperiment, "bucketCount" | "buckets"> {
  readonly bucket_count: number;
  readonly buckets: WireBuckets;
}

/** Reads the body of `GET /v1/config`; null when it is not one. An experiment that cannot be read is left out. */
export function parseConfig(body: unknown): ConfigSnapshot | null {
  const { experiments: listed, config_version: version } = fieldsOf(body);
  if (!Array.isArray(listed) || !isInteger(version)) return null;
  const readable = listed.map(parseExperiment).filter((experiment) => experiment !== null);
  const experiments = new Map(readable.map((experiment) => [experiment.name, experiment]));
  for (const experiment of readable) experiments.set(experiment.id, experiment);
  return { version, experiments, unreadable: listed.length - readable.length, body };
}

function parseExperiment(value: unknown): ConfigExperiment | null {
  const wire = fieldsOf(value) as unknown as WireExperiment;
  const { id, name, status, salt, bucket_count: bucketCount, buckets, variants } = wire;
  const isReadable =
    [id, name, status, salt].every(isText) &&
    isInteger(bucketCount) &&
    bucketCount > 0 &&
    isListOf(buckets, (run) => isListOf(run, isInteger) && run.length === 2) &&
    // The bucket map counts variants by position: with one missing it would name the wrong ones.
    isListOf(variants, (variant) => isText(fieldsOf(variant).key));
  if (!isReadable) return null;
  const parsed = variants.map((variant) => parseVariant(variant, id));
  return { id, name, status, salt, bucketCount, buckets: compileBuckets(buckets), variants: parsed };
}

/** A prompt or variables of another type count as none: the variant still assigns. */
function parseVariant(
  { key, enabled, prompt, variables }: ConfigVariant,
  experimentId: string,
): ConfigVariant {
  return {
    key,
    arm: `${experimentId} ${key}`,
    enabled: enabled !== false,
    prompt: textOr(prompt, null),
    variables: fieldsOf(variables),
  };
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(isItem);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}
