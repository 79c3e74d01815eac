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

/** No experiment has a judged metric: how to get one, or to do without. */
export function NoJudgedMetrics({ isConfigured }: { readonly isConfigured: boolean }) {
  return (
    <Panel title="Judged metrics">
      <Empty
        title="No metric is judged yet"
        actions={
          <LinkButton look={isConfigured ? "primary" : "plain"} to="/experiments/new">
            New experiment
          </LinkButton>
        }
      >
        <p>
          Give an experiment a metric of the category quality and write what makes an answer good. A judge
          then scores a sample of every variant's answers, and you label some of them: 30 take about ten
          minutes and show how often it is right.
        </p>
      </Empty>
      <Disclosure title="With a judge of your own">
        <p>
          Send each score as a business event, and define a metric of the category business with the same
          name: it is tested like any other outcome. Labels do not correct such a metric.
        </p>
        <CodeBlock label="A score as a business event" text={EXAMPLE} />
      </Disclosure>
    </Panel>
  );
}
