import type { Values } from "./inputs.ts";

const DAY_S = 86_400;
const HOUR_S = 3_600;
const CONFIG_POLL_S = 60;
/** A worker's batch size (`worker/drain-queue.ts`), and the composition of the measured append. */
const CLAIM_BYTES = 8 * 1024 * 1024;
const MEASURED_ROWS = 5_000;
/** Time of an append that does not depend on its rows: round trips, syncs, parts. */
const FIXED_SHARE = 0.4;

/** What a load requires of each part, per second unless stated otherwise. */
export interface Rates {
  readonly mean: number;
  readonly peak: number;
  readonly burst: number;
  /** Processor time of the API processes in a burst, in cores. */
  readonly apiCores: number;
  /** Messages that one stream can take. */
  readonly streamMessages: number;
  readonly burstMessages: number;
  /** Rows of one append, and its duration. */
  readonly appendRows: number;
  readonly appendS: number;
  /** Events that one worker can store. */
  readonly workerEvents: number;
}

/** Computes the rates of a day. */
export function ratesOf(values: Values): Rates {
  const { eventBytes, eventsPerRequest, messageUs, messageByteNs } = values;
  const mean = values.eventsPerDay / DAY_S;
  const peak = mean * values.peakToMean;
  const burst = peak * values.burstToPeak;
  const requestBytes = eventBytes * eventsPerRequest;
  const requestUs = values.apiRequestUs + (values.apiByteNs * requestBytes) / 1e3;
  const configs = values.eventsPerDay / values.eventsPerClientDay / CONFIG_POLL_S;
  const apiUs =
    (burst / eventsPerRequest) * requestUs +
    burst * values.assignsPerEvent * values.apiAssignUs +
    configs * values.apiConfigUs;
  const appendRows = Math.max(1, CLAIM_BYTES / eventBytes);
  const rowMs = ((1 - FIXED_SHARE) * values.appendMs) / MEASURED_ROWS;
  const appendS = (FIXED_SHARE * values.appendMs + rowMs * appendRows + values.serverMs) / 1e3;
  return {
    mean,
    peak,
    burst,
    apiCores: apiUs / 1e6,
    streamMessages: 1e6 / (messageUs + (messageByteNs * requestBytes) / 1e3),
    burstMessages: burst / eventsPerRequest,
    appendRows,
    appendS,
    workerEvents: appendRows / appendS,
  };
}

/** Computes the work of a night over all orgs, and of the largest org's largest query. */
export function nightOf(values: Values) {
  const orgs = Math.max(1, Math.round(values.eventsPerDay / values.eventsPerOrgDay));
  const experiments = orgs * values.experimentsPerOrg;
  const logRows = values.eventsPerDay * values.analysisDays;
  const units = (values.eventsPerDay * values.experimentDays) / values.eventsPerUnit;
  const largestShare = 1 / harmonic(orgs);
  const engineS =
    (values.nightEventUs * values.eventsPerDay + values.nightUnitUs * units) / 1e6 +
    (values.nightExperimentMs * experiments) / 1e3;
  return {
    orgs,
    experiments,
    engineCoreHours: engineS / HOUR_S,
    serviceCoreHours: (experiments * values.nightServiceS) / HOUR_S,
    /** Seconds that one thread takes to read the largest org's log, if the engine has merged the log into one part. */
    largestQueryS: (largestShare * values.logRowNs * logRows) / 1e9,
    largestShare,
  };
}

/** 1 + ½ + … + 1/n, by Euler–Maclaurin beyond a thousand terms (error below 1e-13). */
function harmonic(n: number): number {
  if (n > 1_000) return Math.log(n) + 0.5772156649015329 + 1 / (2 * n) - 1 / (12 * n * n);
  let sum = 0;
  for (let k = 1; k <= n; k++) sum += 1 / k;
  return sum;
}
