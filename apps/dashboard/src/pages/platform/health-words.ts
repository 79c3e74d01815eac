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

/** Says in a sentence how the installation is, the worst first. */
export function healthInWords({ status, dependencies, queue, pipeline }: Health): string {
  const away = dependencies.filter((dependency) => dependency.status === "down");
  if (away.length > 0) {
    const names = away.map(({ name }) => DEPENDENCIES[name].title.toLowerCase()).join(" and the ");
    return `The ${names} ${away.length === 1 ? "does" : "do"} not answer.`;
  }
  if (status === "ok") return "Everything answers, nothing is late, no analysis is missing.";
  const causes = [
    ...(pipeline.failures.length > 0
      ? [`${counted(pipeline.failures.length, "analysis", "analyses")} of the last 7 days failed`]
      : []),
    ...(isLate(queue)
      ? [`events wait in the queue for ${secondsInWords(queue.oldest_age_seconds ?? 0)}`]
      : []),
  ];
  return causes.length === 0 ? "Something is slow: see below." : `${capitalised(causes.join(", and "))}.`;
}

const LATE_SECONDS = 60;

/** Tells whether the oldest waiting batch has waited for too long (docs/platform-owner.md). */
export function isLate({ oldest_age_seconds: age }: Pick<Health["queue"], "oldest_age_seconds">): boolean {
  return age !== null && age > LATE_SECONDS;
}

/** Writes a time span: 5 → "5 seconds", 300 → "5 minutes". */
export function secondsInWords(seconds: number): string {
  if (seconds < 100) return counted(Math.round(seconds), "second");
  if (seconds < 100 * 60) return counted(Math.round(seconds / 60), "minute");
  return counted(Math.round(seconds / 3600), "hour");
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
