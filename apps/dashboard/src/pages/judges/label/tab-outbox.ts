import { useSyncExternalStore } from "react";
import { api, unwrap } from "../../../api/client.ts";
import { keepDraft, readDraft } from "../../../ui/use-draft.ts";
import { LabelOutbox, type OutboxState } from "./label-outbox.ts";

const DRAFT = "labels";

/** The tab's outbox, shared by all judges; it keeps sending on every page. */
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

// Closing the tab loses its drafts, so the browser asks first.
window.addEventListener("beforeunload", (event) => {
  if (outbox.state().unsent.length > 0) event.preventDefault();
});

/** Returns the state of the tab's outbox. */
export function useOutbox(): OutboxState {
  return useSyncExternalStore(outbox.subscribe, outbox.state);
}
