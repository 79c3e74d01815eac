import type { ConfigSnapshot } from "../config-snapshot.ts";
import type { EventPayload } from "../event-row.ts";
import { fieldsOf, isText } from "../fields.ts";
import type { CallContext, CallDetails } from "../user-context/call-context.ts";
import { sampling } from "./sampling.ts";

/** A call that starts now, with what `wrap` was told. */
interface StartedCall extends CallDetails {
  readonly args: readonly unknown[];
}

/** An object that `wrap` made, with what it was told. */
interface WrappedScope extends CallDetails {
  readonly user?: unknown;
  readonly usage?: unknown;
}

/** Returns the metadata of the event of a call that ended in this way, if there is any. */
export type MetadataWith = (
  outcome: string | false | null | undefined,
) => Readonly<Record<string, unknown>> | undefined;

/**
 * Takes the sampling settings of the request, then what `wrap` was told, then what `withUser` was told about the same user, then the
 * conversation of `withConversation`. Later ones go before earlier ones.
 */
export function metadataOf(call: StartedCall, user: string, context: CallContext): MetadataWith {
  const metadata: Record<string, unknown> = sampling(call.args[0]);
  const told = user === context.user ? context.details : null;
  for (const said of [call, told, { conversationId: context.conversation || undefined } as CallDetails]) {
    Object.assign(metadata, fieldsOf(said?.metadata));
    if (isText(said?.conversationId)) metadata.conversation_id = said.conversationId;
    if (isText(said?.traceId)) metadata.trace_id = said.traceId;
  }
  return (outcome) => {
    if (outcome) metadata.outcome = outcome;
    return Object.keys(metadata).length > 0 ? metadata : undefined;
  };
}

/** Returns the payload of an event with the run of the context, and with the unit of its experiment, where it does not name its own. */
export function placedIn(
  context: CallContext,
  payload: EventPayload,
  configOf: () => ConfigSnapshot | null,
): EventPayload {
  const { conversation, run } = context;
  // Reading the config may load it, and an event alone is no reason to do that.
  if (!(conversation || run) || fieldsOf(payload) !== payload) return payload;
  const kind = configOf()?.experiments.get(payload.experiment_id)?.unit;
  const placed = { run_id: run || undefined, unit_id: (kind && context[kind]) || undefined };
  return { ...placed, ...payload };
}

/** Adds what `wrap` is told about an object that is wrapped already; null: it is told nothing. */
export function addedTo<Scope extends WrappedScope>(known: Scope, scope: Scope): Scope | null {
  const { user, conversationId, traceId, metadata } = scope;
  if (!(user || conversationId || traceId || metadata)) return null;
  return {
    ...known,
    user: user ?? known.user,
    conversationId: conversationId ?? known.conversationId,
    traceId: traceId ?? known.traceId,
    metadata: { ...fieldsOf(known.metadata), ...fieldsOf(metadata) },
  };
}
