import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { queries } from "../../api/queries.ts";
import type { Experiment, Results } from "../../api/types.ts";
import { handedOutWords } from "../../format/handed-out.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Empty, Page, Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { NotSeenYet } from "../experiment/health/set-aside/NotSeenYet.tsx";
import { DecisionForm } from "./DecisionForm.tsx";
import { outcomeWord } from "./outcomes.ts";
import { Reopen } from "./Reopen.tsx";
import { type Recommendation, recommend } from "./recommendation.ts";
import { TakeBack } from "./TakeBack.tsx";

/** Ends an experiment with a decision, next to the recommendation. Also ships a variant, and reverses that. */
export default function DecidePage() {
  const { id } = useParams({ from: "/shell/experiments/$id/decide" });
  const experiment = useQuery(queries.experiment(id));
  const overview = useQuery(queries.experimentOverview(id));
  const results = useQuery(queries.results(id, null));
  return (
    <Loaded query={experiment}>
      {(stored) => (
        <Page
          title={stored.status === "running" ? `Stop and decide: ${stored.name}` : `Decision: ${stored.name}`}
          actions={<Back id={id} />}
        >
          {stored.status === "draft" ? (
            <Empty title="Nothing to decide yet" actions={<Back id={id} />}>
              <p>A draft assigns no users. Start it first.</p>
            </Empty>
          ) : stored.status === "archived" ? (
            <Empty title="This experiment is archived" actions={<Back id={id} />}>
              <p>Unarchive it to resume it or to edit its decision.</p>
            </Empty>
          ) : (
            <Loaded query={overview}>
              {(facts) => (
                <Loaded query={results}>
                  {(run) => {
                    const recommendation = recommend(facts, run, stored.metrics);
                    return (
                      <>
                        <NotSeenYet experimentId={id} run={run} isElsewhere />
                        {stored.status === "running" ? (
                          <RecommendationPanel recommendation={recommendation} run={run} />
                        ) : (
                          <EndedPanel experiment={stored} />
                        )}
                        {stored.status === "shipped" ? <TakeBack experiment={stored} /> : null}
                        <Panel title={stored.status === "running" ? "Your decision" : "Edit the decision"}>
                          <DecisionForm
                            key={stored.status}
                            experiment={stored}
                            recommendation={recommendation}
                          />
                        </Panel>
                        {stored.status === "stopped" ? <Reopen experiment={stored} /> : null}
                      </>
                    );
                  }}
                </Loaded>
              )}
            </Loaded>
          )}
        </Page>
      )}
    </Loaded>
  );
}

function Back({ id }: { readonly id: string }) {
  return (
    <LinkButton to="/experiments/$id" params={{ id }}>
      Back to the experiment
    </LinkButton>
  );
}

interface RecommendationPanelProps {
  readonly recommendation: Recommendation;
  readonly run: Results | null;
}

/** The recommendation, and why. */
function RecommendationPanel({ recommendation: { sentence, reasons }, run }: RecommendationPanelProps) {
  return (
    <Panel title="Recommendation">
      <p className="decide-sentence">{sentence}</p>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {run === null ? null : (
        <p className="muted">
          From the run computed <Time at={run.computed_at} />.
        </p>
      )}
    </Panel>
  );
}

/** The recorded decision, and what users get. */
function EndedPanel({ experiment }: { readonly experiment: Experiment }) {
  const { id, status, decision, updated_at } = experiment;
  return (
    <Panel
      title={status === "shipped" ? "This experiment is shipped" : "This experiment is stopped"}
      actions={
        <LinkButton to="/experiments/$id/report" params={{ id }}>
          Open the report
        </LinkButton>
      }
    >
      <p>{handedOutWords(experiment)}</p>
      {decision ? (
        <Facts
          facts={[
            ["Outcome", outcomeWord(decision.outcome)],
            ["Chosen variant", decision.variant ?? "none"],
            ["Note", decision.note ?? "none"],
            ["Last changed", <Time key="at" at={updated_at} />],
          ]}
        />
      ) : (
        <p>No decision is recorded. Record one below.</p>
      )}
    </Panel>
  );
}
