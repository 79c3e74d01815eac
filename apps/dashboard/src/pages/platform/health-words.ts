import type { Wire } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import type { Tone } from "../../ui/Notice.tsx";

type Health = Wire<"AdminHealth">;
type HealthState = Health["status"];
type Dependency = Health["dependencies"][number];

/** The states in words. */
export const HEALTH_STATES: Readonly<Record<HealthState, { readonly word: string; readonly tone: Tone }>> = {
  ok: { word: "Healthy", tone: "good" },
  degraded: { word: "Degraded", tone: "warn" },
  down: { word: "Down", tone: "bad" },
};

/** The dependencies, and what stops while one is down. */
export const DEPENDENCIES: Readonly<
  Record<Dependency["name"], { readonly title: string; readonly without: string }>
> = {
  control_plane: {
    title: "Control plane",
    without: "Nobody can sign in or change settings. Clients continue with their last configuration.",
  },
  event_store: {
    title: "Event store",
    without:
      "Events are still accepted and wait in the queue. Results, live views and analyses are unavailable.",
  },
  queue: { title: "Ingest queue", without: "Events are refused with 503; clients retry." },
};

/** Describes the health of the installation, worst first. */
export function healthInWords({ status, dependencies, pipeline }: Health): string {
  const away = dependencies.filter((dependency) => dependency.status === "down");
  if (away.length > 0) {
    const names = away.map(({ name }) => DEPENDENCIES[name].title.toLowerCase()).join(" and the ");
    return `The ${names} ${away.length === 1 ? "is" : "are"} not responding.`;
  }
  if (status === "ok") return "All parts respond, nothing is late, and no analysis is missing.";
  const late = dependencies.flatMap(({ detail }) => (detail === null ? [] : [detail]));
  const failures = pipeline.failures.length;
  return [
    ...(failures > 0 ? [`${counted(failures, "analysis", "analyses")} of the last 7 days failed.`] : []),
    ...late,
  ].join(" ");
}

/** Formats a time span: 5 → "5 seconds", 300 → "5 minutes". */
export function secondsInWords(seconds: number): string {
  if (seconds < 100) return counted(Math.round(seconds), "second");
  if (seconds < 100 * 60) return counted(Math.round(seconds / 60), "minute");
  return counted(Math.round(seconds / 3600), "hour");
}
