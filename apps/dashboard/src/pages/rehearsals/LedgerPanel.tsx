import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { agreementText, fateText, pairText } from "./forecast-words.ts";
import { type Ledger, ledgerQuery } from "./queries.ts";
import { metricTitle } from "./rehearsal-words.ts";

/** How well rehearsals and the experiments that came from them agreed. */
export function LedgerPanel() {
  const query = useQuery(ledgerQuery());
  return (
    <Panel title="Ledger">
      <Loaded query={query}>
        {(ledger) => (
          <>
            {ledger.metrics.length === 0 ? null : (
              <ul>
                {ledger.metrics.map(({ metric }) => (
                  <li key={metric}>{`${metricTitle(metric)}: ${agreementText(ledger, metric)}`}</li>
                ))}
              </ul>
            )}
            <Experiments items={ledger.items} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** What became of a rehearsal's arms: rehearsal, experiment, shipping. Shows nothing without an experiment. */
export function ArmHistory({ id }: { readonly id: string }) {
  const query = useQuery(ledgerQuery());
  const items = query.data?.items.filter(({ rehearsal_id }) => rehearsal_id === id) ?? [];
  return items.length === 0 ? null : (
    <Panel title="What became of the arms">
      <Experiments items={items} />
    </Panel>
  );
}

function Experiments({ items }: Pick<Ledger, "items">) {
  return (
    <Table
      caption="Experiments that come from rehearsals, newest first"
      isCaptionHidden
      narrow="stacks"
      rows={items}
      rowKey={({ experiment: { id } }) => id}
      columns={[
        {
          key: "experiment",
          title: "Experiment",
          cell: ({ experiment: { id, name } }) => (
            <Link to="/experiments/$id" params={{ id }}>
              {name}
            </Link>
          ),
        },
        {
          key: "arms",
          title: "Arms",
          cell: ({ rehearsal_id: id, treatments }) => (
            <Link to="/rehearsals/$id" params={{ id }}>
              {treatments.join(", ")}
            </Link>
          ),
        },
        { key: "fate", title: "Now", cell: ({ experiment }) => fateText(experiment) },
        { key: "at", title: "Drafted", cell: ({ started_at: at }) => <Time at={at} isRelative /> },
        {
          key: "pairs",
          title: "Rehearsed and found",
          cell: ({ pairs }) =>
            pairs.length === 0 ? (
              "nothing yet"
            ) : (
              <ul className="rehearsal-found">
                {pairs.map((pair) => (
                  <li key={`${pair.treatment} ${pair.metric}`}>{pairText(pair)}</li>
                ))}
              </ul>
            ),
        },
      ]}
      empty={
        <p className="muted">
          None yet. Create an experiment from a rehearsal: once it has ended, the ledger compares what both
          found.
        </p>
      }
    />
  );
}
