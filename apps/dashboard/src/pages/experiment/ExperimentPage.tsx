import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { queries } from "../../api/queries.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Page } from "../../ui/Page.tsx";
import { StateBadge } from "../../ui/StateBadge.tsx";

const TABS = [
  { to: "/experiments/$id", label: "Results" },
  { to: "/experiments/$id/health", label: "Health" },
  { to: "/experiments/$id/live", label: "Live" },
  { to: "/experiments/$id/calls", label: "Calls" },
  { to: "/experiments/$id/setup", label: "Setup" },
  { to: "/experiments/$id/versions", label: "Versions" },
  { to: "/experiments/$id/audit", label: "Audit" },
] as const;

/** The head of an experiment and its tabs; each tab is a page of its own below. */
export default function ExperimentPage() {
  const { id } = useParams({ from: "/shell/experiments/$id" });
  const overview = useQuery(queries.experimentOverview(id));
  return (
    <Loaded query={overview}>
      {({ name, state }) => (
        <Page
          title={name}
          lead={<StateBadge state={state} />}
          actions={
            <>
              <LinkButton to="/experiments/$id/change" params={{ id }}>
                Change…
              </LinkButton>
              <LinkButton to="/experiments/$id/decide" params={{ id }}>
                Stop & decide
              </LinkButton>
            </>
          }
        >
          <nav className="tabs" aria-label="Experiment">
            {TABS.map(({ to, label }) => (
              <Link key={to} to={to} params={{ id }} activeOptions={{ exact: true, includeSearch: false }}>
                {label}
              </Link>
            ))}
          </nav>
          <Outlet />
        </Page>
      )}
    </Loaded>
  );
}
