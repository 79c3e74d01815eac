import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { queries } from "../../api/queries.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Empty, Page, Panel } from "../../ui/Page.tsx";
import { DecisionForm } from "./DecisionForm.tsx";
import { RecommendationPanel } from "./RecommendationPanel.tsx";
import { Reopen } from "./Reopen.tsx";
import { recommend } from "./recommendation.ts";
import { StoppedPanel } from "./StoppedPanel.tsx";

/** Stops an experiment with a decision, next to the recommendation. */
export default function DecidePage() {
  const { id } = useParams({ from: "/shell/experiments/$id/decide" });
  const experiment = useQuery(queries.experiment(id));
  const overview = useQuery(queries.experimentOverview(id));
  const results = useQuery(queries.results(id, null));
  return (
    <Loaded query={experiment}>
      {(stored) => (
        <Page title={`Stop and decide: ${stored.name}`} actions={<Back id={id} />}>
          {stored.status === "draft" ? (
            <Empty title="Nothing to decide yet" actions={<Back id={id} />}>
              <p>A draft assigns no users. Start it first.</p>
            </Empty>
          ) : (
            <Loaded query={overview}>
              {(facts) => (
                <Loaded query={results}>
                  {(run) => {
                    const recommendation = recommend(facts, run, stored.metrics);
                    return (
                      <>
                        {stored.status === "stopped" ? <StoppedPanel experiment={stored} /> : null}
                        {stored.status === "running" ? (
                          <RecommendationPanel recommendation={recommendation} run={run} />
                        ) : null}
                        <Panel title={stored.status === "stopped" ? "Edit the decision" : "Your decision"}>
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
