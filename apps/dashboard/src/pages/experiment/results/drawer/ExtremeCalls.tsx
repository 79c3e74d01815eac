import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "../../../../api/client.ts";
import type { StoredEventSummary } from "../../../../api/types.ts";
import { ArmLabel } from "../../../../charts/ArmLabel.tsx";
import { Loaded } from "../../../../ui/Loaded.tsx";
import { Table } from "../../../../ui/Table.tsx";

/** The fields by which model calls can be sorted. */
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

/** Example calls with the highest and lowest values. */
export function ExtremeCalls(props: ExtremeCallsProps) {
  return (
    <>
      <h3>Highest and lowest calls</h3>
      <p className="muted">Stored raw calls of all variants, including test users.</p>
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
              No stored call has this value: raw events may have expired, or the field was not sent.
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
              title: "Prompt",
              cell: ({ prompt_preview: text, user_id: user }) => (
                <span className="drawer-preview" title={`User ${user}`}>
                  {text ?? <span className="muted">no prompt; user {user}</span>}
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
