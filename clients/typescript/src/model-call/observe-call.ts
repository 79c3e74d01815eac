import { contextStorage } from "#user-context";
import { type Subject, userOf } from "../subject.ts";
import type { CallContext, CallDetails } from "../user-context/call-context.ts";
import { metadataOf } from "./call-metadata.ts";
import { type CallHost, type FrameworkState, startRecord } from "./call-record.ts";
import type { ModelCallFormat, UsageAsking } from "./model-call-format.ts";
import { observeResult } from "./observe-result.ts";

/** The user and the experiment for which calls are recorded. */
export interface CallScope extends CallDetails {
  readonly host: CallHost;
  /** Its name or id. */
  readonly experiment: string;
  /** Default: the context's user. */
  readonly user?: string | Subject | null | undefined;
  /** Default: the context where the call is made. */
  readonly context?: CallContext | undefined;
  /** Whether the usage of streams may be requested; shared by all views of a provider's object. Default: no. */
  readonly usage?: UsageAsking | undefined;
}

/** A call to be made. */
export interface ObservedCall extends CallScope {
  readonly format: ModelCallFormat;
  /** The base URL of the provider's API, if known. */
  readonly baseUrl?: string;
  /** The arguments as the caller gave them. */
  readonly args: readonly unknown[];
  /** Set if a framework reports the call. The framework may make it through a wrapped client. */
  readonly framework?: FrameworkState;
  /** The id of the framework's run, outside of `withRun`. */
  readonly run?: string | undefined;
}

/** Returns what the running code knows about the calls around it. */
export function currentContext(): CallContext {
  return contextStorage.getStore() ?? {};
}

/** Runs `work` in a context that also has these parts. */
export function runWithin<T>(parts: Partial<CallContext>, work: () => T): T {
  return contextStorage.run({ ...currentContext(), ...parts }, work);
}

/**
 * Makes a model call with `invoke` and records it. Returns what `invoke` returns and throws what it throws; a promise
 * or a stream is watched until it ends. The call is not recorded if its user has no variant, or if an outer observer
 * records it for the same experiment.
 */
export function observeCall<T>(call: ObservedCall, invoke: (args: readonly unknown[]) => T): T {
  const { host, experiment, args, context = currentContext(), user: said = context.user } = call;
  const user = userOf(said as string);
  if (user == null) {
    host.warn("model call without a user: use withUser or {user}");
    return invoke(args);
  }
  const found = host.findAssignment(experiment, { ...context, user, unit: (said as Subject).unit });
  if (!found || context.observed?.includes(found.experimentId)) return invoke(args);
  const { experimentId, variant } = found;
  const identity = {
    experiment_id: experimentId,
    user_id: user,
    unit_id: found.unit,
    run_id: context.run || call.run,
    variant: variant.key,
  };
  const isExposed = host.frameworks?.start(identity, call.framework) || variant.shipped;
  if (!isExposed) host.track("exposure", identity);
  const record = startRecord(call, identity, metadataOf(call, user, context));
  // Marks the call as observed for the code inside it.
  const inner = { ...context, user, observed: [...(context.observed ?? []), experimentId] };
  const make = (given: readonly unknown[]) => contextStorage.run(inner, () => invoke(given));
  let result: T;
  try {
    result = make(record.args);
  } catch (error) {
    return record.fail(error);
  }
  try {
    return observeResult(result, record, (error) =>
      record.isRefusal(error) ? make(args) : record.fail(error),
    );
  } catch {
    // A frozen result cannot be watched. The caller still gets it.
    return result;
  }
}
