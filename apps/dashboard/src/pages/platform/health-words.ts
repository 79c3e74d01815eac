import type { Wire } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import type { Tone } from "../../ui/Notice.tsx";

type Health = Wire<"AdminHealth">;
type HealthState = Health["status"];
type Dependency = Health["dependencies"][number];

/** Each state as a word with its tone. */
export const HEALTH_STATES: Readonly<Record<HealthState, { readonly word: string; readonly tone: Tone }>> = {
  ok: { word: "Fine", tone: "good" },
  degraded: { word: "Late or in part", tone: "warn" },
  down: { word: "Down", tone: "bad" },
};

/** What each dependency is, and what stops while it is away. */
export const DEPENDENCIES: Readonly<
  Record<Dependency["name"], { readonly title: string; readonly without: string }>
> = {
  control_plane: {
    title: "Control plane",
    without:
      "Nobody can sign in and no setting can change. Clients go on with the configuration that they have.",
  },
  event_store: {
    title: "Event store",
    without: "Events are still taken and wait in the queue; results, live views and analyses wait too.",
  },
  queue: { title: "Ingest queue", without: "Events are refused with 503, and clients send them again." },
};

/** Says in words how the installation is, the worst first. */
export function healthInWords({ status, dependencies, pipeline }: Health): string {
  const away = dependencies.filter((dependency) => dependency.status === "down");
  if (away.length > 0) {
    const names = away.map(({ name }) => DEPENDENCIES[name].title.toLowerCase()).join(" and the ");
    return `The ${names} ${away.length === 1 ? "does" : "do"} not answer.`;
  }
  if (status === "ok") return "Everything answers, nothing is late, no analysis is missing.";
  const late = dependencies.flatMap(({ detail }) => (detail === null ? [] : [detail]));
  const failures = pipeline.failures.length;
  return [
    ...(failures > 0 ? [`${counted(failures, "analysis", "analyses")} of the last 7 days failed.`] : []),
    ...late,
  ].join(" ");
}

/** Writes a time span: 5 → "5 seconds", 300 → "5 minutes". */
export function secondsInWords(seconds: number): string {
  if (seconds < 100) return counted(Math.round(seconds), "second");
  if (seconds < 100 * 60) return counted(Math.round(seconds / 60), "minute");
  return counted(Math.round(seconds / 3600), "hour");
}
