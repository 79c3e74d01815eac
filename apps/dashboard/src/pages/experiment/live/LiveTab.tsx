import { queryOptions, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "../../../api/client.ts";
import { queries } from "../../../api/queries.ts";
import type { Experiment, Wire } from "../../../api/types.ts";
import { useArmColors } from "../../../charts/arms.ts";
import { HistogramFigure } from "../../../charts/HistogramFigure.tsx";
import { unitOf } from "../../../format/metric-units.ts";
import { sum } from "../../../format/numbers.ts";
import { UNIT_TITLES } from "../../../format/unit-words.ts";
import { Button, LinkButton } from "../../../ui/Button.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Empty, Panel } from "../../../ui/Page.tsx";
import { Time } from "../../../ui/Time.tsx";
import { NoTrafficPanel } from "../../start/NoTrafficPanel.tsx";
import { GuardPanel } from "./GuardPanel.tsx";
import { LastEvents } from "./LastEvents.tsx";
import { LiveTraffic } from "./LiveTraffic.tsx";
import { ObservedSplit } from "./ObservedSplit.tsx";
import "./live.css";

const POLL_MS = 5000;

/** Live counts, to see that traffic flows; never for decisions. */
export default function LiveTab() {
  const { id } = useParams({ from: "/shell/experiments/$id/live" });
  const [isPaused, setPaused] = useState(false);
  // TanStack Query stops polling in background tabs.
  const refetchInterval = isPaused ? (false as const) : POLL_MS;
  const experiment = useQuery(queries.experiment(id));
  const live = useQuery({ ...queries.live(id), refetchInterval });
  const lastEvents = useQuery({ ...lastEventsQuery(id), refetchInterval });
  const colors = useArmColors(experiment.data);
  return (
    <>
      <Notice
        tone="warn"
        title="Live counts: uncorrected, not for decisions"
        actions={
          <Button onPress={() => setPaused(!isPaused)}>
            {isPaused ? "Resume refreshing" : "Pause refreshing"}
          </Button>
        }
      >
        <p>
          {isPaused ? "Paused" : "Refreshed every 5 seconds"}
          {live.data === undefined ? null : (
            <>
              ; as of <Time at={live.data.as_of} />
            </>
          )}
          . Differences here are not tested; see the Results tab.
        </p>
      </Notice>
      <Loaded query={experiment}>
        {(data) => (
          <>
            <GuardPanel experiment={data} poll={refetchInterval} />
            <Loaded query={live} lines={10}>
              {(stats) => (
                <LiveFigures experiment={data} live={stats} colors={colors} poll={refetchInterval} />
              )}
            </Loaded>
          </>
        )}
      </Loaded>
      <Panel title="Last events">
        <LastEvents query={lastEvents} colors={colors} />
      </Panel>
    </>
  );
}

interface LiveFiguresProps {
  readonly experiment: Experiment;
  readonly live: Wire<"LiveStats">;
  readonly colors: ReadonlyMap<string, string>;
  readonly poll: number | false;
}

function LiveFigures({ experiment, live, colors, poll }: LiveFiguresProps) {
  const exposures = sum(Object.values(live.exposures));
  if (exposures === 0) return <NoTraffic experiment={experiment} />;
  const metrics = experiment.metrics.flatMap((metric) => {
    const distributions = live.distributions[metric.name];
    return distributions === undefined || Object.keys(distributions).length === 0
      ? []
      : [{ metric, distributions }];
  });
  return (
    <>
      <Panel title={`${UNIT_TITLES[experiment.unit ?? "user"]} and split`}>
        <ObservedSplit live={live} experiment={experiment} colors={colors} />
      </Panel>
      <Panel title="Exposures over time">
        <LiveTraffic live={live} colors={colors} poll={poll} />
      </Panel>
      <Panel title="Distribution of metric values">
        {metrics.length === 0 ? (
          <p className="muted">
            Users are assigned, but no calls or outcomes have arrived for any metric. Check that your
            application sends them.
          </p>
        ) : (
          <div className="grid-2">
            {metrics.map(({ metric, distributions }) => (
              <HistogramFigure
                key={metric.name}
                title={metric.display_name ?? metric.name}
                distributions={distributions}
                colors={colors}
                write={unitOf(metric).value}
              />
            ))}
          </div>
        )}
      </Panel>
    </>
  );
}

function NoTraffic({ experiment: { id, status } }: { readonly experiment: Experiment }) {
  if (status === "draft") {
    return (
      <Empty
        title="No exposures yet"
        actions={
          <LinkButton to="/experiments/$id/change" params={{ id }}>
            Start it…
          </LinkButton>
        }
      >
        <p>The experiment is a draft. It assigns no users until you start it.</p>
      </Empty>
    );
  }
  if (status !== "running") {
    return (
      <Empty title="No exposures yet">
        <p>The experiment ended before it had any users.</p>
      </Empty>
    );
  }
  return <NoTrafficPanel experimentId={id} />;
}

/** The latest events of any type. */
function lastEventsQuery(id: string) {
  return queryOptions({
    queryKey: ["experiment", id, "last-events"],
    queryFn: () =>
      unwrap(api.GET("/v1/experiments/{id}/events", { params: { path: { id }, query: { limit: 50 } } })),
  });
}
