import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../../api/queries.ts";
import type { Wire } from "../../api/types.ts";
import { formulaInWords, isJudged } from "../../format/metric-words.ts";
import { count } from "../../format/numbers.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { CodeBlock } from "../../ui/Copy.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Empty, Page, Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";

const EXAMPLE = JSON.stringify(
  {
    type: "business_event",
    experiment_id: "your experiment",
    user_id: "the user who got the answer",
    business_metric: "helpful",
    value: 1,
    metadata: { judge: "the model and version of your judge" },
  },
  null,
  2,
);

export default function JudgesPage() {
  const metrics = useQuery(queries.metrics());
  return (
    <Page title="Judges" lead="A judge you have not checked is an opinion.">
      <Notice tone="info" title="This version of Assay keeps judge metrics and does not score them">
        <p>
          A metric of the category quality is stored with its experiment and has no results until the next
          version, which judges answers and measures how often a judge agrees with people.
        </p>
      </Notice>
      <Panel title="Judged metrics">
        <Loaded query={metrics}>
          {({ items }) => <JudgedMetrics items={items.filter(({ definition }) => isJudged(definition))} />}
        </Loaded>
      </Panel>
      <AllowancePanel />
      <Panel title="What to do until then">
        <p>
          Score answers with a judge of your own and send each score as a business event: 1 for a pass, 0 for
          a fail, or a number. Define a metric of the category business with the same name, and it is tested
          like any other outcome. Label some answers yourself first, to know how often your judge is right.
        </p>
        <CodeBlock label="A score as a business event" text={EXAMPLE} />
        <div className="row">
          <LinkButton to="/experiments/new">New experiment</LinkButton>
          <LinkButton to="/keys" look="quiet">
            Keys and webhooks
          </LinkButton>
        </div>
      </Panel>
    </Page>
  );
}

function JudgedMetrics({ items }: { readonly items: Wire<"MetricCatalogue">["items"] }) {
  return (
    <Table
      caption="Metrics that wait for a judge"
      isCaptionHidden
      narrow="stacks"
      rows={items}
      rowKey={({ definition }) => definition.name}
      empty={
        <Empty title="No metric is judged">
          <p>No experiment of yours has a metric of the category quality.</p>
        </Empty>
      }
      columns={[
        {
          key: "name",
          title: "Metric",
          cell: ({ definition: { name } }) => (
            <Link to="/catalogue" search={{ text: name }}>
              {name}
            </Link>
          ),
        },
        { key: "what", title: "What it will be", cell: ({ definition }) => formulaInWords(definition) },
        {
          key: "where",
          title: "Experiments",
          cell: ({ used_by: usedBy }) => usedBy.map(({ name }) => name).join(", ") || "none",
        },
        { key: "state", title: "State", cell: () => "kept, not scored yet" },
      ]}
    />
  );
}

function AllowancePanel() {
  const usage = useQuery(queries.usage());
  return (
    <Panel title="Allowance">
      <Loaded query={usage} lines={2}>
        {({ judge_evaluations: { used, allowance }, limits: { plan }, enforced }) => (
          <>
            <p>
              {allowance === 0
                ? `The plan ${plan} includes no judge evaluations${enforced ? ": judge metrics are locked until the plan is pro or larger." : ". This installation applies no plan limits, so nothing is locked."}`
                : `The plan ${plan} includes ${allowance === null ? "judge evaluations without a bound" : `${count(allowance)} judge evaluations a month`}; ${count(used)} are used.`}
            </p>
            <Link to="/usage">Usage & plan</Link>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
