import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useMatch, useParams } from "@tanstack/react-router";
import { Problem } from "../../api/problem.ts";
import { queries } from "../../api/queries.ts";
import type { ExperimentOverview } from "../../api/types.ts";
import { usersOf } from "../../format/states.ts";
import { dayNumber } from "../../format/times.ts";
import { countedUnits } from "../../format/unit-words.ts";
import { verdictSentence } from "../../format/verdict.ts";
import { StateBadge } from "../../ui/Badge.tsx";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Empty, Page, Skeleton } from "../../ui/Page.tsx";
import { DemoRibbon, DemoTag } from "../experiments/Demo.tsx";
import { AnalyzeButton } from "./AnalyzeButton.tsx";
import { FlagNotice } from "./FlagNotice.tsx";
import { HoldButton, HoldNotice } from "./Hold.tsx";
import { LifeActions } from "./LifeActions.tsx";
import { PublicPrompts } from "./PublicPrompts.tsx";
import { UnitNotice } from "./UnitNotice.tsx";

const TABS = [
  { to: "/experiments/$id", label: "Results" },
  { to: "/experiments/$id/compare", label: "Compare" },
  { to: "/experiments/$id/health", label: "Health" },
  { to: "/experiments/$id/live", label: "Live" },
  { to: "/experiments/$id/calls", label: "Calls" },
  { to: "/experiments/$id/setup", label: "Setup" },
  { to: "/experiments/$id/versions", label: "Versions" },
  { to: "/experiments/$id/audit", label: "Audit" },
] as const;

const FIRST_USER_POLL_MS = 3_000;

/** The header of an experiment and its tabs; each tab is a route. */
export default function ExperimentPage() {
  const { id } = useParams({ from: "/shell/experiments/$id" });
  // Below the tabs, which keep their place whichever is open.
  const isResults = useMatch({ from: "/shell/experiments/$id/", shouldThrow: false }) !== undefined;
  const overview = useQuery({
    ...queries.experimentOverview(id),
    // Polls, so that the first user shows without a reload.
    refetchInterval: ({ state }) => (state.data?.state === "no-traffic" ? FIRST_USER_POLL_MS : false),
  });
  if (overview.error instanceof Problem && overview.error.kind === "experiment-not-found")
    return <NotFound />;
  return (
    <Loaded query={overview}>
      {(facts) => (
        <Page title={facts.name} lead={<Lead overview={facts} />} actions={<Actions overview={facts} />}>
          <nav className="tabs" aria-label="Experiment">
            {TABS.map(({ to, label }) => (
              <Link key={to} to={to} params={{ id }} activeOptions={{ exact: true, includeSearch: false }}>
                {label}
              </Link>
            ))}
          </nav>
          <HoldNotice overview={facts} />
          {isResults ? <Verdict overview={facts} /> : null}
          <Outlet />
          <PublicPrompts id={id} />
          <FlagNotice id={id} />
          <UnitNotice id={id} />
          {facts.is_demo ? <DemoRibbon /> : null}
        </Page>
      )}
    </Loaded>
  );
}

function NotFound() {
  return (
    <Page title="Experiment not found">
      <Empty
        title="The link may be outdated or belong to another organization."
        actions={<LinkButton to="/">All experiments</LinkButton>}
      />
    </Page>
  );
}

interface WithOverview {
  readonly overview: ExperimentOverview;
}

function Lead({ overview }: WithOverview) {
  const { data: run } = useQuery(queries.results(overview.id, null));
  // Null before the first run: the day of the first exposure is unknown, and a draft may be weeks old.
  const from = run?.window.from ?? null;
  const facts = [
    ...(overview.status === "running" && from !== null ? [`Day ${dayNumber(from, Date.now())}`] : []),
    countedUnits(usersOf(overview), overview.unit, overview.users_of_units),
    `version ${overview.version}`,
  ];
  return (
    <>
      {overview.is_demo ? <DemoTag /> : null} <StateBadge state={overview.state} /> {facts.join(" · ")}
    </>
  );
}

/** The verdict in words; it needs the run and the setup for guardrails and units. */
function Verdict({ overview }: WithOverview) {
  const { data: experiment, isPending: isSetupPending } = useQuery(queries.experiment(overview.id));
  const { data: run, isPending: isRunPending } = useQuery(queries.results(overview.id, null));
  if (isSetupPending || isRunPending) return <Skeleton lines={1} />;
  const details = {
    metrics: experiment?.metrics ?? [],
    rows: Object.values(run?.results ?? {}),
    flagKey: experiment?.flag_key,
  };
  return (
    <p className="experiment-verdict">
      {verdictSentence(overview, details)}
      {run?.preliminary ? " From a preliminary run." : ""}
    </p>
  );
}

/** The actions by status: start a draft, decide a running experiment, report on an ended one. */
function Actions({ overview }: WithOverview) {
  const { id, status, state } = overview;
  const change = (
    <LinkButton to="/experiments/$id/change" params={{ id }} look={status === "draft" ? "primary" : "plain"}>
      {status === "draft" ? "Start…" : "Change…"}
    </LinkButton>
  );
  const report = (
    <LinkButton to="/experiments/$id/report" params={{ id }}>
      Report
    </LinkButton>
  );
  if (status === "draft" || status === "archived")
    return (
      <>
        {status === "draft" ? change : report}
        <LifeActions experiment={overview} />
      </>
    );
  const decide = (
    <LinkButton
      to="/experiments/$id/decide"
      params={{ id }}
      look={state === "ready-to-decide" ? "primary" : "plain"}
    >
      {status === "running" ? "Stop & decide" : "Decision…"}
    </LinkButton>
  );
  return (
    <>
      <AnalyzeButton id={id} />
      {status === "shipped" ? null : change}
      {status === "running" ? (
        <>
          <HoldButton overview={overview} />
          {decide}
        </>
      ) : (
        <>
          {report}
          {decide}
          <LifeActions experiment={overview} />
        </>
      )}
    </>
  );
}
