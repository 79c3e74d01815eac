import { fieldsOf, isText } from "../fields.ts";
import type { CallContext, CallDetails } from "../user-context/call-context.ts";
import { sampling } from "./sampling.ts";

/** A call that starts now, with what `wrap` was told. */
interface StartedCall extends CallDetails {
  readonly args: readonly unknown[];
}

/** An object that `wrap` made, with what it was told. */
interface WrappedScope extends CallDetails {
  readonly user?: string | null | undefined;
  readonly usage?: unknown;
}

/** Returns the metadata of the event of a call that ended in this way, if there is any. */
export type MetadataWith = (
  outcome: string | false | null | undefined,
) => Readonly<Record<string, unknown>> | undefined;

/**
 * Takes the sampling settings of the request, then what `wrap` was told, then what `withUser` was told about the same user. Later ones
 * go before earlier ones.
 */
export function metadataOf(call: StartedCall, user: string, context: CallContext): MetadataWith {
  const metadata: Record<string, unknown> = sampling(call.args[0]);
  for (const said of [call, user === context.user ? context : null]) {
    Object.assign(metadata, fieldsOf(said?.metadata));
    if (isText(said?.conversationId)) metadata.conversation_id = said.conversationId;
    if (isText(said?.traceId)) metadata.trace_id = said.traceId;
  }
  return (outcome) => {
    if (outcome) metadata.outcome = outcome;
    return Object.keys(metadata).length > 0 ? metadata : undefined;
  };
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
