import { type AssignableExperiment, compileBuckets, type WireBuckets } from "@assay/bucketing";

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
  readonly enabled: boolean;
  readonly prompt: string | null;
  readonly variables: Fields | null;
}

type Fields = Readonly<Record<string, unknown>>;
type ConfigExperiment = AssignableExperiment<ConfigVariant> & { readonly name: string };

/** Reads the body of `GET /v1/config`; null when it is not one. An experiment that cannot be read is left out. */
export function parseConfig(body: unknown): ConfigSnapshot | null {
  if (!isObject(body) || !Array.isArray(body.experiments) || !Number.isInteger(body.config_version))
    return null;
  const parsed = body.experiments.map(parseExperiment);
  const readable = parsed.filter((experiment) => experiment !== null);
  const experiments = new Map(readable.map((experiment) => [experiment.name, experiment]));
  for (const experiment of readable) experiments.set(experiment.id, experiment);
  const unreadable = parsed.length - readable.length;
  return { version: Number(body.config_version), experiments, unreadable, body };
}

function parseExperiment(value: unknown): ConfigExperiment | null {
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

/** A prompt or variables of another type count as none: the variant still assigns. */
function parseVariant(value: unknown): ConfigVariant | null {
  if (!isObject(value) || !isText(value.key)) return null;
  const { key, prompt, variables } = value;
  return {
    key,
    enabled: value.enabled !== false,
    prompt: isText(prompt) ? prompt : null,
    variables: isObject(variables) && !Array.isArray(variables) ? variables : null,
  };
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
