import { environment, later, ownOptions, platformFetch, startTimer } from "#platform";
import { createClientLog } from "./client-log.ts";
import type { ClientOptions, ClientSettings } from "./client-options.ts";
import type { Schedule } from "./schedule.ts";
import { uuidv7 } from "./uuidv7.ts";

const PRODUCTION_URL = "https://api.assay.dev";
/** The longest delay of setTimeout. A longer delay fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Schedules with setTimeout. A delay that is not a number counts as 0. */
export const scheduleTimer: Schedule = (delayMs, task, holdsProcess) =>
  startTimer(task, Math.max(0, Math.min(LONGEST_TIMER_MS, delayMs || 0)), holdsProcess);

/** Fills in the defaults of the options. Throws without an API key. Any other option that cannot be used only causes a warning. */
export function resolveOptions(options: ClientOptions): ClientSettings {
  let offset = 0;
  const standards = {
    apiKey: "",
    trackExposures: true,
    flushIntervalMs: 5_000,
    pollIntervalMs: 60_000,
    fetch: platformFetch,
    now: () => Date.now() + offset,
    newId: () => uuidv7(settings.now()),
    schedule: scheduleTimer,
    ...ownOptions,
  };
  const usable = Object.entries(options).filter(
    ([name, value]) =>
      value != null &&
      typeof value === typeof (standards[name as keyof typeof standards] ?? value) &&
      (typeof value !== "number" || value > 0),
  );
  const settings: typeof standards & ClientOptions = { ...standards, ...Object.fromEntries(usable) };
  const log = createClientLog(settings.log ?? console, settings.schedule);
  later(({ reportOptions }) => reportOptions(options, standards, settings, log));
  settings.apiKey ||= environment("ASSAY_API_KEY") ?? "";
  if (!settings.apiKey) throw new Error("Assay needs an API key: pass apiKey or set ASSAY_API_KEY.");
  const asked = settings.baseUrl || environment("ASSAY_BASE_URL");
  if (!asked) log.sayOnce("warn", `neither baseUrl nor ASSAY_BASE_URL is set: using ${PRODUCTION_URL}`);
  return {
    ...settings,
    baseUrl: `${asked || PRODUCTION_URL}`.trim().replace(/\/+$/, ""),
    // In JavaScript, a plain string is a likely mistake.
    experiments: [settings.experiments ?? []].flat(),
    log,
    noteDate(sentAt, date) {
      const answeredAt = Date.now();
      if (settings.now === standards.now)
        later(({ correctClock }) => {
          offset = correctClock(log, offset, sentAt, answeredAt, date);
        });
    },
  };
}
