import { environment, later, ownOptions, platformFetch, startTimer } from "#platform";
import { createClientLog } from "./client-log.ts";
import type { ClientOptions, ClientSettings } from "./client-options.ts";
import type { Schedule } from "./schedule.ts";
import { uuidv7 } from "./uuidv7.ts";

const PRODUCTION_URL = "https://api.assay.dev";
/** The longest delay of setTimeout. With a longer one it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Schedules with setTimeout. A delay that is not a number counts as 0. */
export const scheduleTimer: Schedule = (delayMs, task, holdsProcess) =>
  startTimer(task, Math.max(0, Math.min(LONGEST_TIMER_MS, delayMs || 0)), holdsProcess);

/** Fills in the defaults of the options; throws when there is no API key. */
export function resolveOptions(options: ClientOptions): ClientSettings {
  let offset = 0;
  const standards = {
    apiKey: "",
    baseUrl: "",
    experiments: [],
    trackExposures: true,
    flushIntervalMs: 0,
    pollIntervalMs: 0,
    bootstrap: null,
    offlineStore: undefined,
    waitUntil: undefined,
    mask: undefined,
    log: console,
    fetch: platformFetch,
    now: () => Date.now() + offset,
    newId: () => uuidv7(settings.now()),
    schedule: scheduleTimer,
    ...ownOptions,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings = { ...standards, ...Object.fromEntries(given) };
  const { apiKey, baseUrl, experiments, flushIntervalMs, pollIntervalMs } = settings;
  const log = createClientLog(settings.log, settings.schedule);
  for (const [name] of given) if (!(name in standards)) log.sayOnce("warn", `unknown option: ${name}`);
  const key = apiKey || environment("ASSAY_API_KEY");
  if (!key) throw new Error("Assay needs an API key: pass apiKey or set ASSAY_API_KEY.");
  const asked = baseUrl || environment("ASSAY_BASE_URL");
  const address = `${asked || PRODUCTION_URL}`.trim().replace(/\/+$/, "");
  if (!asked) log.sayOnce("warn", `neither baseUrl nor ASSAY_BASE_URL is set: using ${address}`);
  return {
    ...settings,
    apiKey: key,
    baseUrl: address,
    // In JavaScript, a plain string is a likely mistake.
    experiments: [experiments].flat(),
    flushIntervalMs: flushIntervalMs > 0 ? flushIntervalMs : 5_000,
    pollIntervalMs: pollIntervalMs > 0 ? pollIntervalMs : 60_000,
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
