import { checkName } from "#metric-names";
import type { FullClientOptions } from "./client-options.ts";
import type { ConfigExperiment, ConfigVariant } from "./config-snapshot.ts";
import { CoreClient } from "./core-client.ts";
import type { EventPayload, EventType } from "./event-row.ts";
import { fieldsOf } from "./fields.ts";
import { detailsOf } from "./model-call/call-metadata.ts";
import type { CallHost } from "./model-call/call-record.ts";
import { type Extract, resultFormat } from "./model-call/known-results.ts";
import { currentContext, type ObservedCall, observeCall, runWithin } from "./model-call/observe-call.ts";
import { wrapProvider } from "./model-call/wrap-provider.ts";
import { offlineOptions } from "./offline-options.ts";
import type { KeptEvent } from "./offline-store.ts";
import { readOverrides } from "./overrides.ts";
import type { Subject, UnitKind } from "./subject.ts";
import type { CallDetails } from "./user-context/call-context.ts";

/** What is said about model calls. */
export interface CallOptions extends CallDetails {
  /** The user of the calls; default: the user of `withUser`. With a unit, that of `withConversation` and `withRun` does not count. */
  readonly user?: string | Subject | undefined;
}

/** A call to be made through a client. */
export type ClientCall = Omit<ObservedCall, "host"> & Partial<Pick<ObservedCall, "host">>;

export interface WrapOptions extends CallOptions {
  /**
   * When false, the usage of chat completion streams is not requested. Default true, until the provider refuses it.
   */
  readonly streamUsage?: boolean | undefined;
}

/** A `CoreClient` that also observes model calls, forces variants, and works offline. */
export class Client extends CoreClient {
  /** @internal As they were given. */
  declare readonly options: FullClientOptions;
  /** @internal */
  declare frameworks: CallHost["frameworks"];
  /** The keys of forced variants, by the experiment's name or id. */
  readonly #forced: ReadonlyMap<string, string>;

  constructor({ overrides, urlOverrides, offline, ...options }: FullClientOptions = {}) {
    super(offline === true ? offlineOptions(options) : options);
    this.options = options;
    this.#forced = readOverrides({ overrides, urlOverrides });
  }

  /** @internal A forced variant takes precedence. */
  protected override variantOf(
    experiment: ConfigExperiment,
    user: string,
    unit?: string,
  ): ConfigVariant | null {
    return this.#forcedIn(experiment) ?? super.variantOf(experiment, user, unit);
  }

  /** Finds the variant that is forced in an experiment; undefined when none is, or the experiment has no such variant. */
  #forcedIn({ id, name, status, variants }: ConfigExperiment): ConfigVariant | undefined {
    const key = this.#forced.get(id) ?? this.#forced.get(name);
    // For an experiment that is not running, nothing else is read.
    if (key == null || status !== "running") return;
    const variant = variants.find((other) => other.key === key);
    if (!variant) this.warn(`override ignored: ${name} has no variant ${key}`);
    return variant;
  }

  /** @internal By default, that of the context. For no subject, the context's alone: its user, too. */
  override unitOf(kind: UnitKind | "user", subject: Partial<Subject>): unknown {
    return super.unitOf(kind, subject) ?? currentContext()[kind];
  }

  /**
   * @internal The event has the run of the context, and the unit of its experiment, where it does not name its own. It is marked as a
   * test when an override applies to its experiment.
   */
  protected override rowOf(event: EventType, payload: EventPayload): KeptEvent {
    const fields = fieldsOf(payload) as unknown as EventPayload;
    const named = fields.experiment_id;
    const experiment = this.config?.experiments.get(named);
    if (checkName) checkName(this, event, payload, experiment);
    const context = currentContext();
    const isForced = experiment ? this.#forcedIn(experiment) : !this.config && this.#forced.has(named);
    if ((context.run || context.conversation || isForced) && fields === payload)
      payload = {
        run_id: context.run || undefined,
        unit_id: context[experiment?.unit as UnitKind] || undefined,
        ...payload,
        ...(isForced && { metadata: { ...fieldsOf(payload.metadata), assay_test: true } }),
      };
    return super.rowOf(event, payload);
  }

  /**
   * Returns a view of a provider's object (a client of OpenAI, Anthropic or Google). It behaves like the
   * object, and records an exposure and a `model_call` for each model call made through it. A call without a
   * known user, or whose user has no variant, is made but not recorded. An object without known calls is
   * returned as it is, with a warning. The object is not changed. Never throws.
   */
  wrap<T extends object>(provider: T, experiment: string, options?: WrapOptions): T {
    return wrapProvider(provider, {
      user: options?.user,
      metadata: options && detailsOf(options),
      host: this,
      experiment,
      usage: { isAsked: options?.streamUsage !== false },
    });
  }

  /**
   * Runs `work` and returns its result. Model calls that it makes through wrapped objects belong to `user`,
   * including those after an `await`. In browsers, which cannot follow `await`, only those before the first
   * one. The events have what `details` says; of nested calls of `withUser`, the innermost counts.
   */
  withUser<T>(user: string, work: () => T, details?: CallDetails): T {
    return runWithin({ metadata: detailsOf(details), user }, work);
  }

  /**
   * Runs `work`, as `withUser` does, within a conversation: an experiment that assigns conversations assigns this one, and the events of
   * model calls name it. Nests with `withUser` and `withRun` in any order.
   */
  withConversation<T>(id: string, work: () => T): T {
    return runWithin({ conversation: id }, work);
  }

  /** Runs `work`, as `withConversation` does, within a run of an agent, which the events have as `run_id`. */
  withRun<T>(id: string, work: () => T): T {
    return runWithin({ run: id }, work);
  }

  /**
   * Makes one model call with `call` and records it as `wrap` does; returns or throws exactly what `call`
   * does, including a promise or an async iterable. `extract` reads the result, or each chunk. Without it,
   * results of the providers that `wrap` knows are recognized.
   */
  interceptModelCall<T>(
    experiment: string,
    user: string | Subject,
    call: () => T,
    extract?: Extract<Awaited<T>>,
  ): T {
    return this.observe({ experiment, user, format: resultFormat(extract), args: [] }, call);
  }

  /**
   * @internal Makes and records a model call of a known format, by default with itself as the host. Other entries of the package build on
   * this.
   */
  observe<T>(call: ClientCall, invoke: (args: readonly unknown[]) => T): T {
    return observeCall({ host: this, ...call }, invoke);
  }
}
