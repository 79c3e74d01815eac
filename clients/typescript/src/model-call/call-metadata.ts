import { type Fields, fieldsOf, isText } from "../fields.ts";
import type { CallContext, CallDetails } from "../user-context/call-context.ts";
import { sampling } from "./sampling.ts";

/** A call that starts now, with the options of `wrap`. */
interface StartedCall extends CallDetails {
  readonly args: readonly unknown[];
}

/** Returns the caller's details of model calls in the form of the events' metadata. */
export function detailsOf(said: CallDetails | undefined): Fields {
  const { conversationId, traceId, metadata } = fieldsOf(said);
  return {
    ...fieldsOf(metadata),
    ...(isText(conversationId) && { conversation_id: conversationId }),
    ...(isText(traceId) && { trace_id: traceId }),
  };
}

/**
 * Combines the sampling settings of the request, the details from `wrap`, the details that `withUser` has for the same
 * user, and the conversation of `withConversation`. Later ones take precedence.
 */
export function metadataOf(call: StartedCall, user: string, context: CallContext): Record<string, unknown> {
  return {
    ...sampling(call.args[0]),
    ...detailsOf(call),
    ...(user === context.user && context.metadata),
    ...(context.conversation && { conversation_id: context.conversation }),
  };
}
