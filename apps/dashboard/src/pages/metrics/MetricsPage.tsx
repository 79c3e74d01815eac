import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { queries } from "../../api/queries.ts";
import { count, counted } from "../../format/numbers.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { TextField } from "../../ui/Field.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Empty, Page, Panel } from "../../ui/Page.tsx";
import { type CatalogueEntry, matches } from "./find-metrics.ts";
import { MetricFacts } from "./MetricFacts.tsx";
import "./metrics.css";

export default function MetricsPage() {
  const metrics = useQuery(queries.metrics());
  const { text = "" } = useSearch({ from: "/shell/catalogue" });
  return (
    <Page
      title="Metrics"
      lead="The latest definitions of your experiments' metrics. A change of meaning creates a new version and starts a new series."
    >
      <Filter text={text} />
      <Loaded query={metrics}>
        {({ items }) => <Catalogue items={items} found={items.filter((entry) => matches(entry, text))} />}
      </Loaded>
    </Page>
  );
}

function Filter({ text }: { readonly text: string }) {
  const navigate = useNavigate();
  return (
    <div className="metrics-filter">
      <TextField
        label="Filter"
        type="search"
        hint="By name, category, kind, description or experiment."
        value={text}
        onChange={(next) =>
          navigate({ to: "/catalogue", search: next === "" ? {} : { text: next }, replace: true })
        }
      />
    </div>
  );
}

interface CatalogueProps {
  readonly items: readonly CatalogueEntry[];
  readonly found: readonly CatalogueEntry[];
}

function Catalogue({ items, found }: CatalogueProps) {
  const navigate = useNavigate();
  if (items.length === 0)
    return (
      <Empty title="No metrics yet" actions={<LinkButton to="/experiments/new">New experiment</LinkButton>}>
        <p>Define metrics in an experiment. They are listed here for reuse.</p>
      </Empty>
    );
  if (found.length === 0)
    return (
      <Empty
        title="No metrics match"
        actions={<Button onPress={() => navigate({ to: "/catalogue", search: {} })}>Show all metrics</Button>}
      >
        <p>{counted(items.length, "metric")} in total.</p>
      </Empty>
    );
  return (
    <>
      <p className="muted" role="status">
        {found.length === items.length
          ? counted(items.length, "metric")
          : `${count(found.length)} of ${counted(items.length, "metric")}`}
      </p>
      {found.map((entry) => (
        <Metric key={entry.definition.name} entry={entry} />
      ))}
    </>
  );
}

function Metric({ entry }: { readonly entry: CatalogueEntry }) {
  const { definition } = entry;
  return (
    <Panel
      title={definition.name}
      actions={
        <>
          <Badge tone="quiet">{definition.category}</Badge>
          <Badge tone="quiet">{definition.kind}</Badge>
          {definition.shared_org_wide ? (
            <>
              <Badge tone="info">shared</Badge>
              <LinkButton to="/catalogue/$name" params={{ name: definition.name }}>
                Open {definition.name}
              </LinkButton>
            </>
          ) : null}
        </>
      }
    >
      <MetricFacts entry={entry} />
    </Panel>
  );
}
