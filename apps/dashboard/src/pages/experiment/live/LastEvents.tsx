import type { UseQueryResult } from "@tanstack/react-query";
import type { StoredEventSummary, Wire } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Table } from "../../../ui/Table.tsx";
import { Time } from "../../../ui/Time.tsx";
import { EVENT_KINDS, eventInWords } from "./event-words.ts";

interface LastEventsProps {
  readonly query: UseQueryResult<Wire<"StoredEventPage">>;
  readonly colors: ReadonlyMap<string, string>;
}

/** The events that arrived last, in words. */
export function LastEvents({ query, colors }: LastEventsProps) {
  return (
    <Loaded query={query}>
      {({ items }) => (
        <Table<StoredEventSummary>
          caption="The last 50 events, newest first"
          isCaptionHidden
          narrow="stacks"
          rows={items}
          rowKey={({ event_id }) => event_id}
          empty={
            <p className="muted">
              None is kept. An event appears here within seconds after your application sends it.
            </p>
          }
          columns={[
            { key: "at", title: "Time", cell: ({ occurred_at }) => <Time at={occurred_at} /> },
            { key: "type", title: "Event", cell: ({ type }) => EVENT_KINDS[type] },
            {
              key: "user",
              title: "User",
              cell: ({ user_id, is_test }) => (
                <span className="live-user">
                  <bdi>{user_id}</bdi>
                  {is_test ? " (test user)" : ""}
                </span>
              ),
            },
            {
              key: "variant",
              title: "Variant",
              cell: ({ variant }) =>
                variant === null ? "none" : <ArmLabel name={variant} color={colors.get(variant)} />,
            },
            {
              key: "what",
              title: "What",
              cell: (event) => <bdi className="live-what">{eventInWords(event)}</bdi>,
            },
          ]}
        />
      )}
    </Loaded>
  );
}
