import type {
  Assignment,
  Client,
  ConfigVariant,
  EventPayload,
  EventType,
  ExperimentName,
  KnownVariables,
  OnlyKnown,
  PromptChoice,
  Subject,
  VariantKey,
} from "@assay/client";
import { promptOf, variablesOf } from "@assay/client/rendering";
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { useAssayContext } from "./provider.ts";

/**
 * Returns the key of the user's variant. Null means control behavior, as for the client's `assign`. Records the
 * exposure when the component mounts, not when a server renders it. Renders again when the variant changes.
 */
export function useVariant<E extends ExperimentName>(experiment: E): VariantKey<E> | null {
  const variant = useAssigned(experiment);
  useExposure(experiment, variant, assign);
  return (variant?.key ?? null) as VariantKey<E> | null;
}

/** Returns the prompt of the user's variant, as the client's `getPrompt` does. Otherwise works like `useVariant`. */
export function usePrompt(experiment: ExperimentName, defaultPrompt: string): PromptChoice {
  const variant = useAssigned(experiment);
  useExposure(experiment, variant, assign);
  return useMemo(() => promptOf(variant, defaultPrompt), [variant, defaultPrompt]);
}

/**
 * Returns your defaults, overridden by the variables of the user's variant, as the client's `getVariables` does.
 * Otherwise works like `useVariant`. The object stays the same until its content changes.
 */
export function useVariables<E extends ExperimentName, Variables extends KnownVariables<E>>(
  experiment: E,
  defaults: Variables & OnlyKnown<E, Variables>,
): Variables {
  const variant = useAssigned(experiment);
  const standards = useUnchanged(defaults);
  // Also warns about a variable whose type differs from its default's.
  const expose = useCallback(
    (client: Client, subject: Subject) => client.getVariables<E, Variables>(experiment, subject, standards),
    [experiment, standards],
  );
  useExposure(experiment, variant, expose);
  return useMemo(() => variablesOf<Variables>(variant, standards, () => {}).variables, [variant, standards]);
}

/** Queues an event; `user_id` and `unit_id` are the provider's user and unit unless the payload sets them. */
export type Track = (event: EventType, payload: TrackPayload) => void;

/** An event's fields. (`Omit` would lose all names, because an event may have further fields.) */
export type TrackPayload = {
  readonly [Field in keyof EventPayload as Field extends "user_id" ? never : Field]: EventPayload[Field];
} & { readonly user_id?: string };

/**
 * Returns the client's `track` for the provider's user, for use in handlers and effects. It does nothing on a
 * server.
 */
export function useTrack(): Track {
  const { source, subject } = useAssayContext();
  return useCallback(
    (event, payload) => {
      const fields = { user_id: subject?.user ?? null, unit_id: subject?.unit, ...payload };
      source.client?.track(event, fields as EventPayload);
    },
    [source, subject],
  );
}

type Expose = (client: Client, subject: Subject, experiment: string) => unknown;

const assign: Expose = (client, subject, experiment) => client.assign(experiment as ExperimentName, subject);

/**
 * Returns the user's variant. The object stays the same until its content changes, so a new config alone does not
 * render anything again.
 */
function useAssigned(experiment: string): ConfigVariant | null {
  const { source, subject } = useAssayContext();
  const text = useSyncExternalStore(
    source.subscribe,
    () => textOf(subject && source.find(experiment, subject)),
    () => textOf(subject && source.findRendered(experiment, subject)),
  );
  return useMemo(() => JSON.parse(text), [text]);
}

const textOf = (found: Assignment | null) => JSON.stringify(found?.variant ?? null);

/**
 * Records the exposure to what the component shows. The client records each user's exposure once, however often this
 * runs.
 */
function useExposure(experiment: string, variant: ConfigVariant | null, expose: Expose): void {
  const { source, subject } = useAssayContext();
  useEffect(() => {
    if (!source.client || !subject) return;
    // Without a config, the client counts a user without a variant. With a config, a null variant may be about to
    // change, and nothing was shown.
    if (variant !== null || source.client.configSnapshot() === null)
      expose(source.client, subject, experiment);
  }, [source, subject, experiment, variant, expose]);
}

/** Returns the first value with the same text, so that an object literal in a component keeps its identity. */
function useUnchanged<Value>(value: Value): Value {
  // A state would cause another render, endlessly if each render creates a new value.
  const first = useRef(value);
  if (!isSameText(first.current, value)) first.current = value;
  return first.current;
}

/** Returns false when a value cannot be written as text: a circular object, a bigint. */
function isSameText(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false;
  }
}
