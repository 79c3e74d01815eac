import { useSyncExternalStore } from "react";
import { api, unwrap } from "../../../api/client.ts";
import { keepDraft, readDraft } from "../../../ui/use-draft.ts";
import { LabelOutbox, type OutboxState } from "./label-outbox.ts";

const DRAFT = "labels";

/** The tab's labels on their way: one for all judges, and it goes on whatever page is open. */
export const outbox = new LabelOutbox({
  send: ({ experimentId, metric, eventId, score, note }) =>
    unwrap(
      api.POST("/v1/experiments/{id}/labels", {
        params: { path: { id: experimentId } },
        body: { metric, event_id: eventId, score, note: note || null },
      }),
    ),
  read: () => readDraft(DRAFT) ?? [],
  write: (unsent) => keepDraft(DRAFT, unsent),
});

// A tab that is closed takes its drafts along: the browser asks first.
window.addEventListener("beforeunload", (event) => {
  if (outbox.state().unsent.length > 0) event.preventDefault();
});

/** Returns how the tab's labels stand. */
export function useOutbox(): OutboxState {
  return useSyncExternalStore(outbox.subscribe, outbox.state);
}
