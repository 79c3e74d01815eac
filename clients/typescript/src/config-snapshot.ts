import { type AssignableExperiment, compileBuckets, type WireBuckets } from "@assay/bucketing";

/** One answer of `GET /v1/config`, ready for look-ups. */
export interface ConfigSnapshot {
  readonly version: number;
  /** By id and by name; where a name is another experiment's id, the id wins. */
  readonly experiments: ReadonlyMap<string, AssignableExperiment>;
  /** How many experiments could not be read and are left out. */
  readonly unreadable: number;
}

type Fields = Readonly<Record<string, unknown>>;
type NamedExperiment = AssignableExperiment & { readonly name: string };

/** Reads the body of `GET /v1/config`; null when it is not one. An experiment that cannot be read is left out. */
export function parseConfig(body: unknown): ConfigSnapshot | null {
  if (!isObject(body) || !Array.isArray(body.experiments) || !Number.isInteger(body.config_version))
    return null;
  const parsed = body.experiments.map(parseExperiment);
  const readable = parsed.filter((experiment) => experiment !== null);
  const experiments = new Map(readable.map((experiment) => [experiment.name, experiment]));
  for (const experiment of readable) experiments.set(experiment.id, experiment);
  return { version: Number(body.config_version), experiments, unreadable: parsed.length - readable.length };
}

function parseExperiment(value: unknown): NamedExperiment | null {
  if (!isObject(value)) return null;
  const { id, name, status, salt, bucket_count: bucketCount, buckets, variants } = value;
  if (!isText(id) || !isText(name) || !isText(status) || !isText(salt)) return null;
  if (typeof bucketCount !== "number" || !Number.isInteger(bucketCount) || bucketCount < 1) return null;
  if (!isWireBuckets(buckets) || !Array.isArray(variants)) return null;
  const parsed = variants.map(parseVariant).filter((variant) => variant !== null);
  // The bucket map counts variants by position: with one missing it would name the wrong ones.
  if (parsed.length !== variants.length) return null;
  return { id, name, status, salt, bucketCount, buckets: compileBuckets(buckets), variants: parsed };
}

function parseVariant(value: unknown): AssignableExperiment["variants"][number] | null {
  if (!isObject(value) || !isText(value.key)) return null;
  return { key: value.key, enabled: value.enabled !== false };
}

function isWireBuckets(value: unknown): value is WireBuckets {
  return (
    Array.isArray(value) &&
    value.every((run) => Array.isArray(run) && run.length === 2 && run.every(Number.isInteger))
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
