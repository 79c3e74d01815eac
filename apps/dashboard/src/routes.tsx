import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from "@tanstack/react-router";
import { ErrorPage, NotFoundPage, NothingHere } from "./shell/ErrorPage.tsx";
import { Shell } from "./shell/Shell.tsx";

/** Filters of lists and tables are in the URL, so that views can be shared. Each page reads its own. */
type Search = Readonly<Record<string, string | undefined>>;

const textSearch = (search: Readonly<Record<string, unknown>>): Search =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? [[name, String(value)]]
        : [],
    ),
  );

const root = createRootRoute({ component: Outlet });
const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("./pages/sign-in/SignInPage.tsx")),
});
const shared = createRoute({
  getParentRoute: () => root,
  path: "/shared",
  component: lazyRouteComponent(() => import("./pages/report/SharedReportPage.tsx")),
});
const experiments = createRoute({
  getParentRoute: () => shell,
  path: "/",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/experiments/ExperimentsPage.tsx")),
});
const start = createRoute({
  getParentRoute: () => shell,
  path: "/start",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/start/StartPage.tsx")),
});
const instrumented = createRoute({
  getParentRoute: () => shell,
  path: "/start/instrumented",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/instrumented/InstrumentedPage.tsx")),
});
const newExperiment = createRoute({
  getParentRoute: () => shell,
  path: "/experiments/new",
  component: lazyRouteComponent(() => import("./pages/new-experiment/NewExperimentPage.tsx")),
});
const experiment = createRoute({
  getParentRoute: () => shell,
  path: "/experiments/$id",
  component: lazyRouteComponent(() => import("./pages/experiment/ExperimentPage.tsx")),
  notFoundComponent: NothingHere,
});
const results = createRoute({
  getParentRoute: () => experiment,
  path: "/",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/experiment/results/ResultsTab.tsx")),
});
const health = createRoute({
  getParentRoute: () => experiment,
  path: "/health",
  component: lazyRouteComponent(() => import("./pages/experiment/health/HealthTab.tsx")),
});
const live = createRoute({
  getParentRoute: () => experiment,
  path: "/live",
  component: lazyRouteComponent(() => import("./pages/experiment/live/LiveTab.tsx")),
});
const experimentCalls = createRoute({
  getParentRoute: () => experiment,
  path: "/calls",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/experiment/CallsTab.tsx")),
});
const compare = createRoute({
  getParentRoute: () => experiment,
  path: "/compare",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/experiment/compare/CompareTab.tsx")),
});
const setup = createRoute({
  getParentRoute: () => experiment,
  path: "/setup",
  component: lazyRouteComponent(() => import("./pages/experiment/setup/SetupTab.tsx")),
});
const versions = createRoute({
  getParentRoute: () => experiment,
  path: "/versions",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/experiment/versions/VersionsTab.tsx")),
});
const experimentAudit = createRoute({
  getParentRoute: () => experiment,
  path: "/audit",
  component: lazyRouteComponent(() => import("./pages/experiment/AuditTab.tsx")),
});
const change = createRoute({
  getParentRoute: () => shell,
  path: "/experiments/$id/change",
  component: lazyRouteComponent(() => import("./pages/change-experiment/ChangeExperimentPage.tsx")),
});
const decide = createRoute({
  getParentRoute: () => shell,
  path: "/experiments/$id/decide",
  component: lazyRouteComponent(() => import("./pages/decide/DecidePage.tsx")),
});
const report = createRoute({
  getParentRoute: () => shell,
  path: "/experiments/$id/report",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/report/ReportPage.tsx")),
});
const calls = createRoute({
  getParentRoute: () => shell,
  path: "/calls",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/calls/CallsPage.tsx")),
});
const judges = createRoute({
  getParentRoute: () => shell,
  path: "/judges",
  component: lazyRouteComponent(() => import("./pages/judges/JudgesPage.tsx")),
});
const judge = createRoute({
  getParentRoute: () => shell,
  path: "/judges/$experimentId/$metric",
  component: lazyRouteComponent(() => import("./pages/judges/check/CheckPage.tsx")),
});
const label = createRoute({
  getParentRoute: () => shell,
  path: "/judges/$experimentId/$metric/label",
  component: lazyRouteComponent(() => import("./pages/judges/label/LabelPage.tsx")),
});
const metrics = createRoute({
  getParentRoute: () => shell,
  // Not /metrics, which serves Prometheus.
  path: "/catalogue",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/metrics/MetricsPage.tsx")),
});
const metric = createRoute({
  getParentRoute: () => shell,
  path: "/catalogue/$name",
  component: lazyRouteComponent(() => import("./pages/metrics/SharedMetricPage.tsx")),
});
const rehearsals = createRoute({
  getParentRoute: () => shell,
  path: "/rehearsals",
  component: lazyRouteComponent(() => import("./pages/rehearsals/RehearsalsPage.tsx")),
});
const newRehearsal = createRoute({
  getParentRoute: () => shell,
  path: "/rehearsals/new",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/rehearsals/NewRehearsalPage.tsx")),
});
const rehearsal = createRoute({
  getParentRoute: () => shell,
  path: "/rehearsals/$id",
  component: lazyRouteComponent(() => import("./pages/rehearsals/RehearsalPage.tsx")),
});
const rehearsalPicks = createRoute({
  getParentRoute: () => shell,
  path: "/rehearsals/$id/picks",
  component: lazyRouteComponent(() => import("./pages/rehearsals/PickPage.tsx")),
});
const usage = createRoute({
  getParentRoute: () => shell,
  path: "/usage",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/usage/UsagePage.tsx")),
});
const keys = createRoute({
  getParentRoute: () => shell,
  path: "/keys",
  component: lazyRouteComponent(() => import("./pages/keys/KeysPage.tsx")),
});
const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/audit/AuditPage.tsx")),
});
const security = createRoute({
  getParentRoute: () => shell,
  path: "/security",
  component: lazyRouteComponent(() => import("./pages/security/SecurityPage.tsx")),
});
const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/settings/SettingsPage.tsx")),
});
const alerts = createRoute({
  getParentRoute: () => shell,
  path: "/alerts",
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import("./pages/alerts/AlertsPage.tsx")),
});
const account = createRoute({
  getParentRoute: () => shell,
  path: "/account",
  component: lazyRouteComponent(() => import("./pages/account/AccountPage.tsx")),
});
const feedback = createRoute({
  getParentRoute: () => shell,
  path: "/feedback",
  component: lazyRouteComponent(() => import("./pages/feedback/FeedbackPage.tsx")),
});
const platform = createRoute({
  getParentRoute: () => shell,
  path: "/platform",
  component: lazyRouteComponent(() => import("./pages/platform/PlatformPage.tsx")),
});
const platformOrg = createRoute({
  getParentRoute: () => shell,
  path: "/platform/orgs/$id",
  component: lazyRouteComponent(() => import("./pages/platform/PlatformOrgPage.tsx")),
});
const platformInbox = createRoute({
  getParentRoute: () => shell,
  path: "/platform/inbox",
  component: lazyRouteComponent(() => import("./pages/platform/PlatformInboxPage.tsx")),
});

/** Any other address. */
const unknown = createRoute({ getParentRoute: () => shell, path: "$", component: NotFoundPage });

const routeTree = root.addChildren([
  signIn,
  shared,
  shell.addChildren([
    experiments,
    start,
    instrumented,
    newExperiment,
    experiment.addChildren([
      results,
      compare,
      health,
      live,
      experimentCalls,
      setup,
      versions,
      experimentAudit,
    ]),
    change,
    decide,
    report,
    calls,
    judges,
    judge,
    label,
    metrics,
    metric,
    rehearsals,
    newRehearsal,
    rehearsal,
    rehearsalPicks,
    usage,
    keys,
    audit,
    security,
    settings,
    alerts,
    account,
    feedback,
    platform,
    platformOrg,
    platformInbox,
    unknown,
  ]),
]);

/** All routes. Pages load when they are first opened. A page that fails does so in its own place, and the shell stays. */
export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
