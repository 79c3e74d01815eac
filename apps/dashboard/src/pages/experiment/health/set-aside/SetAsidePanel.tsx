import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../../../../api/queries.ts";
import { Badge } from "../../../../ui/Badge.tsx";
import { Button } from "../../../../ui/Button.tsx";
import { Loaded } from "../../../../ui/Loaded.tsx";
import { Panel } from "../../../../ui/Page.tsx";
import { Table } from "../../../../ui/Table.tsx";
import { Time } from "../../../../ui/Time.tsx";
import { ExclusionDialog } from "./ExclusionDialog.tsx";
import { type Exclusion, matchInWords } from "./exclusion-words.ts";
import { LiftButton } from "./LiftButton.tsx";
import { NotSeenYet } from "./NotSeenYet.tsx";

interface OfExperiment {
  readonly experimentId: string;
}

/** What was set aside from an experiment's events: by whom, when and why. Includes the form for more. */
export function SetAsidePanel({ experimentId }: OfExperiment) {
  const [isOpen, setOpen] = useState(false);
  const list = useQuery(queries.exclusions(experimentId));
  const { data: run } = useQuery(queries.results(experimentId, null));
  return (
    <Panel title="Set aside" actions={<Button onPress={() => setOpen(true)}>Set events aside…</Button>}>
      <p className="muted">
        Bad events can be left out of the analysis. They stay stored and metered, and every entry can be
        lifted.
      </p>
      <Loaded query={list} lines={2}>
        {({ items }) => (
          <>
            <NotSeenYet experimentId={experimentId} run={run ?? null} />
            <Entries experimentId={experimentId} items={items} />
          </>
        )}
      </Loaded>
      {isOpen ? <ExclusionDialog experimentId={experimentId} onClose={() => setOpen(false)} /> : null}
    </Panel>
  );
}

function Entries({ experimentId, items }: OfExperiment & { readonly items: readonly Exclusion[] }) {
  return (
    <Table
      caption="Entries, newest first"
      isCaptionHidden
      narrow="stacks"
      rows={items}
      rowKey={({ number }) => String(number)}
      empty={<p>Nothing is set aside.</p>}
      columns={[
        { key: "number", title: "#", cell: ({ number }: Exclusion) => number },
        { key: "what", title: "What", cell: What },
        { key: "why", title: "Why", cell: ({ reason }) => reason },
        {
          key: "who",
          title: "Who and when",
          cell: ({ actor, created_at }) => (
            <>
              <span title={actor.email}>{actor.name || actor.email}</span>, <Time at={created_at} />
            </>
          ),
        },
        {
          key: "state",
          title: "State",
          cell: (entry) => <State experimentId={experimentId} entry={entry} />,
        },
      ]}
    />
  );
}

function What({ match, lifts }: Exclusion) {
  return match === null ? `Lifts entry ${lifts}` : matchInWords(match);
}

function State({ experimentId, entry }: OfExperiment & { readonly entry: Exclusion }) {
  if (entry.match === null) return null;
  if (!entry.in_force) return <Badge tone="quiet">Lifted</Badge>;
  return <LiftButton experimentId={experimentId} number={entry.number} />;
}
