import { skipToken, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queries } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { CopyButton } from "../../ui/Copy.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { CodeTabs } from "./CodeTabs.tsx";
import { ExperimentChoice } from "./ExperimentChoice.tsx";
import { FirstCall } from "./FirstCall.tsx";
import { FirstOutcome } from "./FirstOutcome.tsx";
import { InstrumentedHint } from "./InstrumentedHint.tsx";
import { KeyChoice } from "./KeyChoice.tsx";
import { firstEvent } from "./queries.ts";
import { assistantPrompt, callSnippets, type SnippetFacts, snippetFacts } from "./snippets.ts";
import { useApiKey } from "./use-api-key.ts";
import "./start.css";

/** Four steps to the first outcome, which are ticked automatically. Null: no experiment is chosen yet. */
export function FirstSteps({ experimentId }: { readonly experimentId: string | null }) {
  const key = useApiKey("publishable");
  const experiment = useExperiment(experimentId);
  const done = useCompletedSteps(experimentId, key.summary);
  const facts = experiment.data ? snippetFacts(experiment.data, key.raw, location.origin) : null;
  return (
    <Panel
      title="Your first experiment"
      actions={<p role="status">{done.filter(Boolean).length} of 4 done</p>}
    >
      {experiment.error ? <ProblemNotice problem={experiment.error} /> : null}
      <ol className="steps">
        <Step number={1} title="Get a key and an experiment" isDone={done[0]}>
          <KeyChoice source={key} />
          <ExperimentChoice experimentId={experimentId} />
        </Step>
        <Step number={2} title="Paste this code" isDone={done[1]}>
          {facts === null ? <NeedsExperiment /> : <Code facts={facts} />}
        </Step>
        <Step number={3} title="See your first call arrive" isDone={done[2]}>
          {experimentId === null ? <NeedsExperiment /> : <FirstCall experimentId={experimentId} />}
        </Step>
        <Step number={4} title="Add the outcome you care about" isDone={done[3]}>
          {experiment.data && facts ? (
            <FirstOutcome experiment={experiment.data} facts={facts} />
          ) : (
            <NeedsExperiment />
          )}
        </Step>
      </ol>
      {experiment.data && done.every(Boolean) ? <AllSet experiment={experiment.data} /> : null}
    </Panel>
  );
}

function useExperiment(id: string | null) {
  const { queryKey, queryFn } = queries.experiment(id ?? "");
  return useQuery({ queryKey, queryFn: id === null ? skipToken : queryFn });
}

/** A step is done when its effect is observed. */
function useCompletedSteps(
  experimentId: string | null,
  key: { readonly last_used_at: string | null } | null,
): readonly [boolean, boolean, boolean, boolean] {
  const call = useQuery(firstEvent(experimentId, "model_call")).data;
  const exposure = useQuery(firstEvent(experimentId, "exposure")).data;
  const outcome = useQuery(firstEvent(experimentId, "business_event")).data;
  const isReal = (event: typeof call) => Boolean(event && !event.is_test);
  const hasCall = isReal(call) || isReal(exposure);
  const isUsed = key?.last_used_at != null && experimentId !== null;
  return [key !== null && experimentId !== null, hasCall || isUsed, hasCall, isReal(outcome)];
}

function NeedsExperiment() {
  return <p className="muted">Choose or create an experiment first.</p>;
}

function Code({ facts }: { readonly facts: SnippetFacts }) {
  return (
    <>
      <CodeTabs label="Code for a model call" snippets={callSnippets} facts={facts} />
      <p className="row">
        <CopyButton text={assistantPrompt(facts)} label="Copy prompt for your coding assistant" />
        <span className="muted">The same code and settings as a task. It contains no secrets.</span>
      </p>
      <InstrumentedHint />
    </>
  );
}

function AllSet({ experiment: { id, name } }: { readonly experiment: Experiment }) {
  return (
    <Notice
      tone="good"
      title="All set"
      actions={
        <LinkButton look="primary" to="/experiments/$id" params={{ id }}>
          Open {name}
        </LinkButton>
      }
    >
      <p>
        Results appear after the nightly run once every variant has about 200 evaluated events. Until then,
        the experiment shows live counts.
      </p>
    </Notice>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

/** One step of the list. */
function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li className={isDone ? "step is-done" : "step"}>
      <span className="step-mark" aria-hidden="true">
        {isDone ? "✓" : number}
      </span>
      <div className="step-body">
        <h3>
          {title}
          {isDone ? <span className="visually-hidden"> (done)</span> : null}
        </h3>
        {children}
      </div>
    </li>
  );
}
