import { type Fields, fieldsOf, isText } from "../fields.ts";
import type { CallContext, CallDetails } from "../user-context/call-context.ts";
import { sampling } from "./sampling.ts";

/** A call that starts now, with what `wrap` was told. */
interface StartedCall extends CallDetails {
  readonly args: readonly unknown[];
}

/** Returns what the caller says about its model calls, as the events' metadata has it. */
export function detailsOf(said: CallDetails | undefined): Fields {
  const { conversationId, traceId, metadata } = fieldsOf(said);
  return {
    ...fieldsOf(metadata),
    ...(isText(conversationId) && { conversation_id: conversationId }),
    ...(isText(traceId) && { trace_id: traceId }),
  };
}

/**
 * Takes the sampling settings of the request, then what `wrap` was told, then what `withUser` was told about the same user, then the
 * conversation of `withConversation`. Later ones go before earlier ones.
 */
export function metadataOf(call: StartedCall, user: string, context: CallContext): Record<string, unknown> {
  return {
    ...sampling(call.args[0]),
    ...detailsOf(call),
    ...(user === context.user && context.metadata),
    ...(context.conversation && { conversation_id: context.conversation }),
  };
}
