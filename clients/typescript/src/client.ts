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

/** Options for observed model calls. */
export interface CallOptions extends CallDetails {
  /** The user of the calls. Default: the user of `withUser`. A unit given here takes precedence over `withConversation` and `withRun`. */
  readonly user?: string | Subject | undefined;
}

/** A call to be made through a client. */
export type ClientCall = Omit<ObservedCall, "host"> & Partial<Pick<ObservedCall, "host">>;

export interface WrapOptions extends CallOptions {
  /** False: do not request the usage of chat completion streams. Default: true, until the provider rejects it. */
  readonly streamUsage?: boolean | undefined;
}

/** A `CoreClient` that also observes model calls, forces variants, and works offline. */
export class Client extends CoreClient {
  /** @internal The options as the caller gave them. */
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

  /** Finds the variant that is forced in an experiment. Undefined when none is, or the experiment has no such variant. */
  #forcedIn({ id, name, status, variants }: ConfigExperiment): ConfigVariant | undefined {
    const key = this.#forced.get(id) ?? this.#forced.get(name);
    // An experiment that is not running has no other fields.
    if (key == null || status !== "running") return;
    const variant = variants.find((other) => other.key === key);
    if (!variant) this.warn(`override ignored: ${name} has no variant ${key}`);
    return variant;
  }

  /** @internal Default: the context's. An empty subject gives the context's ids only, including its user. */
  override unitOf(kind: UnitKind | "user", subject: Partial<Subject>): unknown {
    return super.unitOf(kind, subject) ?? currentContext()[kind];
  }

  /**
   * @internal Fills in the context's run and the unit of the event's experiment, unless the event names its own. Marks
   * the event as a test when an override applies to its experiment.
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
   * Returns a view of a provider's object (a client of OpenAI, Anthropic or Google). It behaves like the object, and
   * records an exposure and a `model_call` for each model call. A call without a known user, or whose user has no
   * variant, is made but not recorded. The object itself is not changed. An object without known calls is returned
   * unchanged, with a warning. Never throws.
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
   * Runs `work` and returns its result. Model calls that it makes through wrapped objects belong to `user`, also after
   * an `await`. Browsers cannot follow an `await`: there, only calls before the first one belong to the user. The
   * events get the ids and metadata in `details`; the innermost `withUser` counts.
   */
  withUser<T>(user: string, work: () => T, details?: CallDetails): T {
    return runWithin({ metadata: detailsOf(details), user }, work);
  }

  /**
   * Runs `work`, as `withUser` does, within a conversation. Experiments that assign conversations assign this one, and
   * model call events name it. Can be nested with `withUser` and `withRun` in any order.
   */
  withConversation<T>(id: string, work: () => T): T {
    return runWithin({ conversation: id }, work);
  }

  /** Runs `work`, as `withConversation` does, within a run of an agent. The events have its id as `run_id`. */
  withRun<T>(id: string, work: () => T): T {
    return runWithin({ run: id }, work);
  }

  /**
   * Makes one model call with `call` and records it as `wrap` does. Returns or throws exactly what `call` does,
   * including a promise or an async iterable. `extract` reads facts from the result, or from each chunk. Without it,
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
