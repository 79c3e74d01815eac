import type { UseQueryResult } from "@tanstack/react-query";
import type { StoredEventSummary, Wire } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Time } from "../../../ui/Time.tsx";
import { EVENT_KINDS, eventInWords } from "./event-words.ts";

interface LastEventsProps {
  readonly query: UseQueryResult<Wire<"StoredEventPage">>;
  readonly colors: ReadonlyMap<string, string>;
}

/** The latest events, in words. */
export function LastEvents({ query, colors }: LastEventsProps) {
  return (
    <Loaded query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="muted">
            No events stored. An event appears here seconds after your application sends it.
          </p>
        ) : (
          <ol className="live-events" aria-label="The last 50 events, newest first" tabIndex={0}>
            {items.map((event) => (
              <li key={event.event_id}>
                <EventLine event={event} colors={colors} />
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

interface EventLineProps {
  readonly event: StoredEventSummary;
  readonly colors: ReadonlyMap<string, string>;
}

function EventLine({ event, colors }: EventLineProps) {
  const { occurred_at, type, user_id, is_test, variant } = event;
  return (
    <>
      <span className="muted">
        <Time at={occurred_at} />
      </span>
      <strong>{EVENT_KINDS[type]}</strong>
      <span className="live-user">
        <bdi>{user_id}</bdi>
        {is_test ? " (test user)" : ""}
      </span>
      {variant === null ? <span>no variant</span> : <ArmLabel name={variant} color={colors.get(variant)} />}
      <bdi className="live-what">{eventInWords(event)}</bdi>
    </>
  );
}
