import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { queries } from "../../api/queries.ts";
import type { ExperimentOverview } from "../../api/types.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Empty, Page, Skeleton } from "../../ui/Page.tsx";
import { DemoRibbon, LoadDemoButtons } from "./Demo.tsx";
import { ExperimentsList } from "./ExperimentsList.tsx";
import type { ListFilter } from "./list-filter.ts";
import "./experiments.css";

/** Only new organizations need it, so it is not part of the first load. */
const FirstSteps = lazy(() =>
  import("../start/FirstSteps.tsx").then(({ FirstSteps: component }) => ({ default: component })),
);

/** The experiments, or the archived ones when the URL says so. */
export default function ExperimentsPage() {
  const { archived }: ListFilter = useSearch({ from: "/shell/" });
  return archived === undefined ? <Current /> : <Archived />;
}

function Archived() {
  const overview = useQuery(queries.overview("archived"));
  return (
    <Page title="Archived experiments" actions={<LinkButton to="/">Back to the experiments</LinkButton>}>
      <Loaded query={overview} lines={8}>
        {({ items }) =>
          items.length > 0 ? (
            <ExperimentsList items={items} />
          ) : (
            <Empty title="No archived experiments.">
              <p>Archive a draft or a stopped experiment on its page. You can unarchive it at any time.</p>
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}

/** All experiments that are not archived, urgent ones first. Shows the first steps if there is at most the demo. */
function Current() {
  const overview = useQuery(queries.overview());
  const items = overview.data?.items;
  return (
    <Page
      title="Experiments"
      actions={
        <>
          {items === undefined || items.some(({ is_demo }) => is_demo) ? null : <LoadDemoButtons />}
          <LinkButton look="quiet" to="/" search={{ archived: "yes" }}>
            Archived
          </LinkButton>
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
      {own.length > 0 && own.every(isWithoutTraffic) ? <ContinueFirstSteps /> : null}
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
          Compare two prompts on real users: about ten minutes to your first numbers. Follow the steps below,
          or load the demo to see what results look like.
        </p>
      </Empty>
    </section>
  );
}

function ContinueFirstSteps() {
  return (
    <Notice
      tone="info"
      title="No users in your experiments yet"
      actions={<LinkButton to="/start">Continue with the first steps</LinkButton>}
    >
      <p>Get a key, paste the code, and watch your first call arrive.</p>
    </Notice>
  );
}

function isOwn({ is_demo }: ExperimentOverview): boolean {
  return !is_demo;
}

function isWithoutTraffic({ exposures, status }: ExperimentOverview): boolean {
  return exposures === 0 && status !== "stopped";
}
