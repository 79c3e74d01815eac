import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Experiment, StoredEventSummary } from "../../api/types.ts";
import { Notice } from "../../ui/Notice.tsx";
import { CodeTabs } from "./CodeTabs.tsx";
import { firstEvent } from "./queries.ts";
import { outcomeSnippets, type SnippetFacts } from "./snippets.ts";
import { Received, Waiting } from "./Waiting.tsx";

/** The code that reports an outcome, and the first outcome as it arrives. */
export function FirstOutcome({
  experiment,
  facts,
}: {
  readonly experiment: Experiment;
  readonly facts: SnippetFacts;
}) {
  const { data: outcome } = useQuery(firstEvent(experiment.id, "business_event"));
  return (
    <>
      <p>
        When a user reaches the outcome, report <code>{facts.outcome.name}</code> with the same user id. For
        another outcome,{" "}
        <Link to="/experiments/$id/change" params={{ id: experiment.id }}>
          add a metric
        </Link>
        .
      </p>
      <CodeTabs label="Code for an outcome" snippets={outcomeSnippets} facts={facts} />
      {outcome ? <Received event={outcome} /> : <Waiting>Waiting for the first outcome…</Waiting>}
      {outcome && !isCounted(outcome, experiment) ? (
        <Notice tone="warn" title="No metric counts this outcome">
          <p>
            The experiment has no metric for business events named {outcome.business_metric}.{" "}
            <Link to="/experiments/$id/change" params={{ id: experiment.id }}>
              Add one
            </Link>
            ; earlier events count too.
          </p>
        </Notice>
      ) : null}
    </>
  );
}

function isCounted({ business_metric }: StoredEventSummary, { metrics }: Experiment): boolean {
  return metrics.some(
    ({ source }) =>
      source !== undefined && "business_metric" in source && source.business_metric === business_metric,
  );
}
