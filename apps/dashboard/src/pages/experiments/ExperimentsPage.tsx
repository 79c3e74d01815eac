import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { queries } from "../../api/queries.ts";
import type { ExperimentOverview } from "../../api/types.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Empty, Page, Skeleton } from "../../ui/Page.tsx";
import { DemoRibbon } from "./DemoRibbon.tsx";
import { ExperimentsList } from "./ExperimentsList.tsx";
import { LoadDemoButton } from "./LoadDemoButton.tsx";
import "./experiments.css";

/** Only newcomers need it: everybody else's first load goes without. */
const FirstSteps = lazy(() =>
  import("../start/FirstSteps.tsx").then(({ FirstSteps: component }) => ({ default: component })),
);

/** Every experiment with where it stands, what needs attention first; the first steps while there is none of one's own. */
export default function ExperimentsPage() {
  const overview = useQuery(queries.overview());
  const items = overview.data?.items;
  return (
    <Page
      title="Experiments"
      actions={
        <>
          {items === undefined || items.some(({ is_demo }) => is_demo) ? null : <LoadDemoButton />}
          <LinkButton look={items?.some(isOwn) ? "primary" : "plain"} to="/experiments/new">
            New experiment
          </LinkButton>
        </>
      }
    >
      <Loaded query={overview} lines={8}>
        {({ items }) => <Experiments items={items} />}
      </Loaded>
    </Page>
  );
}

function Experiments({ items }: { readonly items: readonly ExperimentOverview[] }) {
  const own = items.filter(isOwn);
  return (
    <>
      {items.length > own.length ? <DemoRibbon /> : null}
      {own.length > 0 && own.every(isWithoutTraffic) ? <GoOn /> : null}
      {items.length === 0 ? <None /> : <ExperimentsList items={items} />}
      {own.length === 0 ? (
        <Suspense fallback={<Skeleton lines={8} />}>
          <FirstSteps experimentId={null} />
        </Suspense>
      ) : null}
    </>
  );
}

function None() {
  return (
    <section className="panel" aria-label="No experiments yet">
      <Empty title="No experiments yet.">
        <p>
          Compare two prompts on real users: about ten minutes to the first number. Follow the steps below, or
          load the demo to see where they lead.
        </p>
      </Empty>
    </section>
  );
}

function GoOn() {
  return (
    <Notice
      tone="info"
      title="No user has met an experiment yet"
      actions={<LinkButton to="/start">Go on with the first steps</LinkButton>}
    >
      <p>The key, the code to paste, and a place that shows your first call as it arrives.</p>
    </Notice>
  );
}

function isOwn({ is_demo }: ExperimentOverview): boolean {
  return !is_demo;
}

function isWithoutTraffic({ exposures, status }: ExperimentOverview): boolean {
  return exposures === 0 && status !== "stopped";
}
