import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { queries } from "../../api/queries.ts";
import type { ExperimentOverview } from "../../api/types.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Page } from "../../ui/Page.tsx";
import { FirstSteps } from "./FirstSteps.tsx";

/** The first steps for the experiment in the URL, or the most likely one. */
export default function StartPage() {
  const { experiment } = useSearch({ from: "/shell/start" });
  const overview = useQuery(queries.overview());
  return (
    <Page
      title="First steps"
      lead="From a key to the first outcome: about ten minutes."
      actions={
        <>
          <LinkButton to="/start/instrumented">Already instrumented?</LinkButton>
          <LinkButton to="/">All experiments</LinkButton>
        </>
      }
    >
      <Loaded query={overview}>
        {({ items }) => <FirstSteps experimentId={experiment ?? likelyExperiment(items)?.id ?? null} />}
      </Loaded>
    </Page>
  );
}

/** Picks the newest own experiment without users, or else the newest own one. */
function likelyExperiment(items: readonly ExperimentOverview[]): ExperimentOverview | undefined {
  const own = items.filter(({ is_demo, status }) => !is_demo && status !== "stopped");
  return own.find(({ exposures }) => exposures === 0) ?? own[0];
}
