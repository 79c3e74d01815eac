import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "../../../../api/client.ts";
import type { StoredEventSummary } from "../../../../api/types.ts";
import { ArmLabel } from "../../../../charts/ArmLabel.tsx";
import { Loaded } from "../../../../ui/Loaded.tsx";
import { Table } from "../../../../ui/Table.tsx";

/** A field of model calls that they can be sorted by. */
export const SORTED_FIELDS = [
  "latency_ms",
  "time_to_first_token_ms",
  "input_tokens",
  "output_tokens",
  "cost_usd",
] as const;
export type SortedField = (typeof SORTED_FIELDS)[number];

interface ExtremeCallsProps {
  readonly experimentId: string;
  readonly field: SortedField;
  readonly colors: ReadonlyMap<string, string>;
  readonly write: (value: number) => string;
}

const EXAMPLES = 10;

/** The calls at both ends of a metric, to see what such a call looks like. */
export function ExtremeCalls(props: ExtremeCallsProps) {
  return (
    <>
      <h3>Calls at the extremes</h3>
      <p className="muted">Raw calls that are still kept, of all variants and users, test users too.</p>
      <div className="grid-2">
        <End {...props} direction="desc" title="Highest" />
        <End {...props} direction="asc" title="Lowest" />
      </div>
    </>
  );
}

interface EndProps extends ExtremeCallsProps {
  readonly direction: "asc" | "desc";
  readonly title: string;
}

function End({ experimentId, field, colors, write, direction, title }: EndProps) {
  const calls = useQuery(extremes(experimentId, field, direction));
  return (
    <Loaded query={calls}>
      {({ items }) => (
        <Table<StoredEventSummary>
          caption={`${title} ${field}`}
          rows={items}
          rowKey={(call) => call.event_id}
          empty={
            <p className="muted">
              No kept call has this figure: raw events may have expired, or the field is not sent.
            </p>
          }
          columns={[
            {
              key: "value",
              title: field,
              cell: (call) => (
                <Link
                  to="/experiments/$id/calls"
                  params={{ id: experimentId }}
                  search={{ sort: field, direction, call: call.event_id }}
                >
                  {write(call[field] ?? 0)}
                </Link>
              ),
            },
            {
              key: "variant",
              title: "Variant",
              cell: ({ variant }) =>
                variant === null ? "none" : <ArmLabel name={variant} color={colors.get(variant)} />,
            },
            {
              key: "text",
              title: "Question",
              cell: ({ prompt_preview: text, user_id: user }) => (
                <span className="drawer-preview" title={`User ${user}`}>
                  {text ?? <span className="muted">no text sent; user {user}</span>}
                </span>
              ),
            },
          ]}
        />
      )}
    </Loaded>
  );
}

function extremes(id: string, sort: SortedField, direction: "asc" | "desc") {
  const query = { type: "model_call", sort, direction, limit: EXAMPLES } as const;
  return queryOptions({
    queryKey: ["experiment", id, "extremes", sort, direction],
    queryFn: () => unwrap(api.GET("/v1/experiments/{id}/events", { params: { path: { id }, query } })),
  });
}
