import {
  type EvaluationContext,
  FlagNotFoundError,
  InvalidContextError,
  type JsonValue,
  ProviderNotReadyError,
  type ResolutionDetails,
  StandardResolutionReasons,
  TargetingKeyMissingError,
  TypeMismatchError,
} from "@openfeature/core";
import type { AssayClient } from "./assay-client.ts";
import { type CatalogEntry, loadedCatalog } from "./catalog.ts";

/** One evaluation; `flagKey` is the name or the id of an experiment. */
export interface FlagRequest<Value> {
  readonly flagKey: string;
  readonly defaultValue: Value;
  readonly context: EvaluationContext;
}

/**
 * Resolves a string flag: the key of the user's variant. Throws OpenFeature's errors, which its SDKs catch.
 */
export function resolveString(client: AssayClient, request: FlagRequest<string>): ResolutionDetails<string> {
  return resolve(client, request, (variant) => variant);
}

/**
 * Resolves an object flag: the default, overwritten by the top-level keys of the variant's variables. Throws
 * as `resolveString` does, and TYPE_MISMATCH when the default is not an object.
 */
export function resolveObject<Value extends JsonValue>(
  client: AssayClient,
  request: FlagRequest<Value>,
): ResolutionDetails<Value> {
  const { flagKey, defaultValue } = request;
  findExperiment(client, flagKey);
  if (!isObject(defaultValue))
    throw new TypeMismatchError("the default of an object flag must be a plain object");
  return resolve(client, request, (_variant, user) => client.getVariables(flagKey, user, defaultValue));
}

/**
 * Rejects a boolean or number flag: a variant is neither. Always throws: FLAG_NOT_FOUND for an unknown flag,
 * else TYPE_MISMATCH.
 */
export function refuseType(client: AssayClient, flagKey: string): never {
  findExperiment(client, flagKey);
  throw new TypeMismatchError(
    "an experiment is a string flag (the variant) or an object flag (its variables)",
  );
}

/** Returns the user of an evaluation or of an outcome; throws when the context has none. */
export function userOf({ targetingKey }: EvaluationContext): string {
  if (targetingKey === undefined || targetingKey === "") {
    throw new TargetingKeyMissingError("the targetingKey of the context names the user");
  }
  if (typeof targetingKey !== "string") throw new InvalidContextError("targetingKey must be a string");
  return targetingKey;
}

function resolve<Value>(
  client: AssayClient,
  { flagKey, defaultValue, context }: FlagRequest<Value>,
  toValue: (variant: string, user: string) => Value,
): ResolutionDetails<Value> {
  const experiment = findExperiment(client, flagKey);
  const user = userOf(context);
  const { version, id: experimentId, status, shipped } = experiment;
  const { DEFAULT, DISABLED, SPLIT, STATIC } = StandardResolutionReasons;
  const flagMetadata = { experimentId, version };
  const { variant, prompt, fallback } = client.getPrompt(flagKey, user, "");
  if (variant === null) {
    return { value: defaultValue, reason: status === "running" ? DEFAULT : DISABLED, flagMetadata };
  }
  return {
    value: toValue(variant, user),
    variant,
    reason: shipped === true ? STATIC : SPLIT,
    flagMetadata: fallback ? flagMetadata : { ...flagMetadata, prompt },
  };
}

function findExperiment(client: AssayClient, flagKey: string): CatalogEntry {
  const catalog = loadedCatalog(client);
  if (catalog === null) throw new ProviderNotReadyError("the config is not loaded yet");
  const experiment = catalog.byKey.get(flagKey);
  if (experiment === undefined) throw new FlagNotFoundError(`no experiment has the name or id ${flagKey}`);
  return experiment;
}

function isObject<Value>(value: Value): value is Value & object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
