import type { Subject } from "@assay/client/core";
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

/**
 * One evaluation. `flagKey` is the name or id of an experiment and may end with `.prompt` or `.variables`. In the
 * remote evaluation protocol, only this ending can name the type.
 */
export interface FlagRequest<Value> {
  readonly flagKey: string;
  readonly defaultValue: Value;
  readonly context: EvaluationContext;
}

/** An id that the service accepts. Counted in characters, not in UTF-16 units. */
const USER = /^.{1,256}$/su;

/** The part of an experiment that a key names. Without an ending, the flag's type decides. */
type Ending = "prompt" | "variables" | null;

/**
 * Resolves a string flag to the key of the user's variant, or to its prompt. Throws OpenFeature's errors, which its
 * SDKs catch.
 */
export function resolveString(client: AssayClient, request: FlagRequest<string>): ResolutionDetails<string> {
  const { flagKey, defaultValue } = request;
  const { named, ending } = findFlag(client, flagKey);
  if (ending === "variables") throw new TypeMismatchError(`${flagKey} is an object flag, not a string flag`);
  return resolve(client, request, (variant, subject) =>
    ending === "prompt" ? client.getPrompt(named, subject, defaultValue).prompt : variant,
  );
}

/**
 * Resolves an object flag to the default, overwritten by the top-level keys of the variant's variables. Throws as
 * `resolveString` does, and TYPE_MISMATCH when the default is not an object.
 */
export function resolveObject<Value extends JsonValue>(
  client: AssayClient,
  request: FlagRequest<Value>,
): ResolutionDetails<Value> {
  const { flagKey, defaultValue } = request;
  const { named, ending } = findFlag(client, flagKey);
  if (ending === "prompt") throw new TypeMismatchError(`${flagKey} is a string flag, not an object flag`);
  if (!isObject(defaultValue))
    throw new TypeMismatchError("the default of an object flag must be a plain object");
  return resolve(client, request, (_variant, subject) => client.getVariables(named, subject, defaultValue));
}

/**
 * Rejects a boolean or number flag: a variant is neither. Always throws: FLAG_NOT_FOUND for an unknown flag,
 * else TYPE_MISMATCH.
 */
export function refuseType(client: AssayClient, flagKey: string): never {
  findFlag(client, flagKey);
  throw new TypeMismatchError(
    "an experiment is a string flag (variant or prompt) or an object flag (variables)",
  );
}

/**
 * Returns the subject of an evaluation or an outcome: the context's user, and the unit in the context's attribute
 * `unit_id`, or in `conversation_id` or `run_id` if the experiment assigns that. Throws when the context has no user.
 */
export function subjectOf(context: EvaluationContext, experiment: Pick<CatalogEntry, "unit">): Subject {
  const named = context.unit_id ?? context[`${experiment.unit}_id`];
  return { user: userOf(context), unit: typeof named === "string" ? named : undefined };
}

function userOf({ targetingKey }: EvaluationContext): string {
  if (targetingKey === undefined || targetingKey === "") {
    throw new TargetingKeyMissingError("set targetingKey in the context to the user's id");
  }
  if (typeof targetingKey !== "string" || !USER.test(targetingKey)) {
    throw new InvalidContextError("targetingKey must be a string of at most 256 characters");
  }
  return targetingKey;
}

function resolve<Value>(
  client: AssayClient,
  { flagKey, defaultValue, context }: FlagRequest<Value>,
  toValue: (variant: string, subject: Subject) => Value,
): ResolutionDetails<Value> {
  const { experiment } = findFlag(client, flagKey);
  const { version, id: experimentId, status, shipped } = experiment;
  const subject = subjectOf(context, experiment);
  const { DEFAULT, DISABLED, SPLIT, STATIC } = StandardResolutionReasons;
  const flagMetadata = { experimentId, version };
  const { variant, prompt, fallback } = client.getPrompt(experimentId, subject, "");
  if (variant === null) {
    return { value: defaultValue, reason: status === "running" ? DEFAULT : DISABLED, flagMetadata };
  }
  return {
    value: toValue(variant, subject),
    variant,
    reason: shipped === true ? STATIC : SPLIT,
    flagMetadata: fallback ? flagMetadata : { ...flagMetadata, prompt },
  };
}

/** Finds a flag. An experiment whose own name has such an ending takes precedence. */
function findFlag(
  client: AssayClient,
  flagKey: string,
): {
  readonly experiment: CatalogEntry;
  /** The experiment's name or id in the key, which the client's warnings repeat. */
  readonly named: string;
  readonly ending: Ending;
} {
  const catalog = loadedCatalog(client);
  if (catalog === null) throw new ProviderNotReadyError("the config is not loaded yet");
  for (const ending of [null, "prompt", "variables"] as const) {
    const suffix = ending === null ? "" : `.${ending}`;
    if (!flagKey.endsWith(suffix)) continue;
    const named = flagKey.slice(0, flagKey.length - suffix.length);
    const experiment = catalog.byKey.get(named);
    if (experiment !== undefined) return { experiment, named, ending };
  }
  throw new FlagNotFoundError(`no experiment has the name or id ${flagKey}`);
}

function isObject<Value>(value: Value): value is Value & object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
