import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { queries } from "../../../api/queries.ts";
import type { Wire } from "../../../api/types.ts";
import { counted } from "../../../format/numbers.ts";
import { day } from "../../../format/times.ts";
import { Loaded } from "../../../ui/Loaded.tsx";
import { TrafficFigure } from "./TrafficFigure.tsx";
import type { VersionMark } from "./traffic-plot.ts";

interface LiveTrafficProps {
  readonly live: Wire<"LiveStats">;
  readonly colors: ReadonlyMap<string, string>;
  /** Milliseconds between two reads; false: paused. */
  readonly poll: number | false;
}

const NO_MARKS: readonly VersionMark[] = [];

/** Exposures per day since the start, and per minute of the last hour. */
export function LiveTraffic({ live, colors, poll }: LiveTrafficProps) {
  const id = live.experiment_id;
  const traffic = useQuery({ ...queries.traffic(id), refetchInterval: poll });
  const versions = useQuery(queries.versions(id)).data;
  const marks = useMemo(() => marksOf(versions ?? []), [versions]);
  return (
    <div className="grid-2">
      <Loaded query={traffic}>{({ days }) => <PerDay days={days} colors={colors} marks={marks} />}</Loaded>
      <PerMinute live={live} colors={colors} />
    </div>
  );
}

/** The first version is the start, not a change. */
function marksOf(versions: readonly Wire<"ExperimentVersion">[]): readonly VersionMark[] {
  return versions
    .filter(({ version }) => version > 1)
    .map(({ version, updated_at }) => ({ version, at: new Date(updated_at) }));
}

interface PerDayProps {
  readonly days: Wire<"TrafficSeries">["days"];
  readonly colors: ReadonlyMap<string, string>;
  readonly marks: readonly VersionMark[];
}

function PerDay({ days, colors, marks }: PerDayProps) {
  const points = useMemo(
    () => days.map(({ day: on, exposures }) => ({ at: new Date(`${on}T00:00:00Z`), exposures })),
    [days],
  );
  return (
    <TrafficFigure
      title="Exposures per day"
      summary={`Exposures per day over ${counted(points.length, "day")}, stacked by variant.`}
      points={points}
      colors={colors}
      interval="day"
      marks={marks}
      writeTime={(at) => day(at.toISOString().slice(0, 10))}
    />
  );
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

function PerMinute({ live, colors }: Omit<LiveTrafficProps, "poll">) {
  const minutes = live.exposures_by_minute;
  // The axis moves once a minute, not with every refresh.
  const until = Math.ceil(Date.parse(live.as_of) / MINUTE_MS) * MINUTE_MS;
  const points = useMemo(
    () => minutes.map(({ minute, exposures }) => ({ at: new Date(minute), exposures })),
    [minutes],
  );
  const domain = useMemo(() => [new Date(until - HOUR_MS), new Date(until)] as const, [until]);
  if (points.length === 0) {
    return (
      <p className="muted">
        No exposures in the last hour. If you expect some, check that your application is running and flushes
        its events.
      </p>
    );
  }
  return (
    <TrafficFigure
      title="Exposures per minute, last hour"
      summary={`Exposures per minute in the last hour, stacked by variant; ${counted(points.length, "minute")} with exposures.`}
      points={points}
      colors={colors}
      interval="minute"
      domain={domain}
      marks={NO_MARKS}
      writeTime={(at) => at.toISOString().slice(11, 16)}
    />
  );
}
