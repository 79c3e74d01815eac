import type { ReactNode } from "react";
import type { StoredEventSummary } from "../../api/types.ts";
import { Time } from "../../ui/Time.tsx";
import { receivedWords } from "./received-words.ts";
import "./start.css";

/** Shows that the page is polling for something. */
export function Waiting({ children }: { readonly children: ReactNode }) {
  return (
    <p className="waiting" role="status">
      <span className="waiting-pulse" aria-hidden="true" />
      {children}
    </p>
  );
}

/** A received event in one line, marked if it is a test event. */
export function Received({ event }: { readonly event: StoredEventSummary }) {
  return (
    <p className={event.is_test ? "received is-test" : "received"} role="status">
      <b>{event.is_test ? "Received the test event:" : "Received:"}</b> {receivedWords(event)}{" "}
      <small className="muted">
        <Time at={event.received_at} isRelative />
      </small>
    </p>
  );
}
