import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import type { Wire } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { CodeBlock } from "../../ui/Copy.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Empty, Page, Panel } from "../../ui/Page.tsx";
import { JudgeCard } from "./JudgeCard.tsx";
import { JudgeNotices } from "./JudgeNotices.tsx";
import { JudgingPanel } from "./JudgingPanel.tsx";
import { OutboxNotice } from "./label/OutboxNotice.tsx";
import { POLL_MS } from "./queries.ts";
import "./judges.css";

/** All judged metrics: their progress, cost and agreement with people. */
export default function JudgesPage() {
  const judges = useQuery({
    ...queries.judges(),
    refetchInterval: ({ state }) => (state.data?.backlog ? POLL_MS : false),
  });
  return (
    <Page
      title="Judges"
      lead="A judge is a model that scores answers. Label some of the same answers yourself to measure its errors and correct the results."
    >
      <OutboxNotice />
      <Loaded query={judges} lines={8}>
        {(overview) => (
          <>
            <JudgeNotices overview={overview} />
            <JudgingPanel overview={overview} />
            <Cards overview={overview} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Cards({ overview: { items, is_configured } }: { readonly overview: Wire<"JudgesOverview"> }) {
  if (items.length === 0) return <NoJudgedMetrics isConfigured={is_configured} />;
  return (
    <section aria-label="Judged metrics">
      <h2>{counted(items.length, "judged metric")}</h2>
      {items.map((item) => (
        <JudgeCard key={`${item.experiment_id} ${item.metric}`} item={item} />
      ))}
    </section>
  );
}

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

/** Shown without judged metrics: how to add one, or use your own judge. */
function NoJudgedMetrics({ isConfigured }: { readonly isConfigured: boolean }) {
  return (
    <Panel title="Judged metrics">
      <Empty
        title="No judged metrics yet"
        actions={
          <LinkButton look={isConfigured ? "primary" : "plain"} to="/experiments/new">
            New experiment
          </LinkButton>
        }
      >
        <p>
          Add the metric “Judge pass rate” to an experiment and describe what makes an answer good. A judge
          then scores a sample of every variant's answers. Label some of them yourself: 30 labels take about
          ten minutes and show how often the judge is right.
        </p>
      </Empty>
      <Disclosure title="Use your own judge">
        <p>
          Send each score as a business event, and add the metric “Your business event” with the name of that
          event. It is tested like any other outcome, but labels do not correct it.
        </p>
        <CodeBlock label="A score as a business event" text={EXAMPLE} />
      </Disclosure>
    </Panel>
  );
}
