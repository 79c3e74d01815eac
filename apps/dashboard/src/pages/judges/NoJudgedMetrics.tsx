import { LinkButton } from "../../ui/Button.tsx";
import { CodeBlock } from "../../ui/Copy.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { Empty, Panel } from "../../ui/Page.tsx";

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
export function NoJudgedMetrics({ isConfigured }: { readonly isConfigured: boolean }) {
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
          Add a metric of the category “quality” to an experiment and describe what makes an answer good. A
          judge then scores a sample of every variant's answers. Label some of them yourself: 30 labels take
          about ten minutes and show how often the judge is right.
        </p>
      </Empty>
      <Disclosure title="Use your own judge">
        <p>
          Send each score as a business event, and define a metric of the category “business” with the same
          name. It is tested like any other outcome, but labels do not correct it.
        </p>
        <CodeBlock label="A score as a business event" text={EXAMPLE} />
      </Disclosure>
    </Panel>
  );
}
