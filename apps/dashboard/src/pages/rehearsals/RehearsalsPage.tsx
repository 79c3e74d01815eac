import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { count, dollars } from "../../format/numbers.ts";
import { Badge } from "../../ui/Badge.tsx";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Empty, Page, Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { DatasetsPanel } from "./DatasetsPanel.tsx";
import { LedgerPanel } from "./LedgerPanel.tsx";
import { rehearsalsQuery } from "./queries.ts";
import { stateWord } from "./rehearsal-words.ts";

/** Comparisons of prompts and models before anybody is exposed, and the inputs that they answer. */
export default function RehearsalsPage() {
  const rehearsals = useQuery(rehearsalsQuery());
  return (
    <Page
      title="Rehearsals"
      lead="Prompts and models answer the same inputs, and a judge compares the answers, before anybody is exposed."
      actions={
        <LinkButton to="/rehearsals/new" look="primary">
          New rehearsal
        </LinkButton>
      }
    >
      <Panel title="Rehearsals">
        <Loaded query={rehearsals}>
          {({ items }) => (
            <Table
              caption="Rehearsals, newest first"
              isCaptionHidden
              narrow="stacks"
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                {
                  key: "arms",
                  title: "Arms",
                  cell: ({ id, arms }) => (
                    <Link to="/rehearsals/$id" params={{ id }}>
                      {arms.slice(1).join(", ")} against {arms[0]}
                    </Link>
                  ),
                },
                {
                  key: "state",
                  title: "State",
                  cell: (one) => <Badge tone={stateWord(one).tone}>{stateWord(one).word}</Badge>,
                },
                { key: "inputs", title: "Inputs", isNumeric: true, cell: ({ inputs }) => count(inputs) },
                {
                  key: "spent",
                  title: "Spent",
                  isNumeric: true,
                  cell: ({ spent_usd, budget_usd }) => `${dollars(spent_usd)} of ${dollars(budget_usd)}`,
                },
                { key: "by", title: "Started by", cell: ({ created_by: { name } }) => name },
                {
                  key: "at",
                  title: "Started",
                  cell: ({ created_at }) => <Time at={created_at} isRelative />,
                },
              ]}
              empty={
                <Empty title="No rehearsal yet">
                  <p>Start one with the calls of an experiment, or with inputs that you upload.</p>
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      <LedgerPanel />
      <DatasetsPanel />
    </Page>
  );
}
