/** An input of the model, with the range of its plausible values. */
export interface Input {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly unit: string;
  readonly kind: "load" | "measured" | "argued" | "policy" | "price";
  /** What it is, and where the figure comes from. */
  readonly meaning: string;
}

const input =
  (kind: Input["kind"]) =>
  (value: number, [low, high]: readonly [number, number], unit: string, meaning: string): Input => ({
    value,
    low,
    high,
    unit,
    kind,
    meaning,
  });
const load = input("load");
const measured = input("measured");
const argued = input("argued");
const policy = input("policy");
const price = input("price");

/**
 * All inputs of the model. Measured figures are from two shared x86-64 cores. Low and high are the spread of the runs, or an
 * estimate of the uncertainty if there was one run.
 */
export const INPUTS = {
  eventsPerDay: load(1e9, [1e9, 1e9], "events/day", "accepted events of a mean day"),
  peakToMean: load(3, [2, 4], "×", "busiest minute of the day over the mean"),
  burstToPeak: load(2, [1.3, 3], "×", "burst over peak: a campaign, or clients that return after an outage"),
  eventBytes: load(
    771,
    [400, 4_000],
    "B",
    "JSON of an event; half of the events carry a text of 180 to 1,000 bytes",
  ),
  eventsPerRequest: load(20, [5, 100], "events", "the clients send at 100 events, 256 KiB or 5 s"),
  assignsPerEvent: load(0.05, [0, 0.5], "calls", "calls of `/v1/assign`; client libraries assign locally"),
  randomIds: load(
    0.1,
    [0, 1],
    "share",
    "share of events with random ids; the client libraries make time-ordered ids",
  ),
  eventsPerClientDay: load(
    1e5,
    [1e4, 1e6],
    "events/day",
    "events of one client process; it polls its config every minute",
  ),
  eventsPerOrgDay: load(
    1e6,
    [1e5, 1e7],
    "events/day",
    "events of a mean org; sizes fall off as 1, ½, ⅓, … (Zipf)",
  ),
  experimentsPerOrg: load(
    10,
    [5, 30],
    "experiments",
    "running at the same time; each event belongs to one of them",
  ),
  experimentDays: load(14, [7, 28], "days", "how long a running experiment has been running"),
  analysisDays: load(
    90,
    [30, 365],
    "days",
    "how far an org's analysis log reaches back: the lifetime of its experiments",
  ),
  eventsPerUnit: load(20, [5, 100], "events", "of a unit in an experiment, so far"),
  rawDays: load(90, [30, 365], "days", "how long raw events are kept: the plan's retention"),
  idDays: load(
    365,
    [90, 1_095],
    "days",
    "days of stored ids: they are kept forever, so this is the age of the installation",
  ),

  apiRequestUs: measured(
    108,
    [90, 180],
    "µs",
    "processor time of a request with events: 31 (performance.md, `events`, 1 and 50 events) and 77 to publish it",
  ),
  apiByteNs: measured(
    4.6,
    [3.6, 7.5],
    "ns/B",
    "parse and check, per byte of the body (performance.md, `events`, 1 to 500 events)",
  ),
  apiAssignUs: measured(
    24,
    [18, 30],
    "µs",
    "processor time of an assignment on PostgreSQL (performance.md, `assign` and `shared`)",
  ),
  apiConfigUs: measured(
    21,
    [16, 26],
    "µs",
    "processor time of a request for an unchanged config (performance.md, `config` and `shared`)",
  ),
  messageUs: measured(
    39,
    [20, 80],
    "µs",
    "a stream's time per message, three replicas on two cores (23,200/s of 433 B)",
  ),
  messageByteNs: measured(
    9.2,
    [4.6, 37],
    "ns/B",
    "a stream's time per byte (4,480/s of 20 kB); the high end allows for `sync_interval: always`, not measured",
  ),
  workerByteNs: measured(
    21,
    [15, 30],
    "ns/B",
    "a worker's processor time to read and forward, per byte (performance.md, `pipeline`)",
  ),
  appendMs: measured(
    110,
    [75, 300],
    "ms",
    "an append of 5,000 events: look-up, rows, ids (performance.md, `append` and `pipeline`)",
  ),
  engineEventUs: measured(
    18,
    [13, 50],
    "µs",
    "the engine's processor time per event: look-up, inserts, merges (performance.md, `pipeline` and `append`)",
  ),
  randomIdUs: measured(
    65,
    [15, 140],
    "µs",
    "additional time for a random id, which has its own place in each part of two months (performance.md, `append`)",
  ),
  rawRatio: measured(
    0.2,
    [0.15, 0.35],
    "B/B",
    "a raw event on disk, per byte of its JSON (operations.md: 155 of 771 B)",
  ),
  analysisBytes: measured(
    48,
    [35, 65],
    "B",
    "a row of the analysis log on disk (operations.md: an event without its text)",
  ),
  idBytes: measured(
    30,
    [8, 31],
    "B",
    "an id on disk: 128 bits and two instants; 8 if ids differ in few bits (performance.md, `append`)",
  ),
  idIndexBytes: measured(
    0.016,
    [0.015, 0.025],
    "B",
    "primary index in memory per id, if all months are queried (performance.md, `append`)",
  ),
  nightEventUs: measured(
    2.7,
    [2, 4],
    "µs",
    "the engine's processor time per new event: cells, what the log has, sending it (performance.md, `nightly`)",
  ),
  nightUnitUs: measured(
    3.8,
    [2.5, 6],
    "µs",
    "the engine's processor time per unit of an experiment: its state is read every night and stored every second one (performance.md, `nightly`)",
  ),
  nightExperimentMs: measured(
    120,
    [60, 250],
    "ms",
    "the engine's processor time per experiment, most of it to plan queries (performance.md, `nightly`)",
  ),
  logRowNs: measured(
    180,
    [120, 280],
    "ns",
    "the engine's processor time per row of an org's log, when a night first reads what the log has (performance.md, `nightly`)",
  ),
  nightServiceS: measured(
    2,
    [0.5, 8],
    "s",
    "a pipeline thread's time per experiment (performance.md: 0.5 s for 25,000 users, 3.4 s for ten permutation tests of 200,000)",
  ),
  usageIdNs: measured(
    170,
    [90, 440],
    "ns",
    "counting a month of all orgs, per id (performance.md, `append`)",
  ),
  dayIdNs: measured(
    6,
    [4, 12],
    "ns",
    "counting the days of all orgs, per id that is read (60 ms for 10 million)",
  ),
  sweepRowsPerS: measured(
    180_000,
    [100_000, 250_000],
    "rows/s",
    "rows of a day that are rewritten when some of them expire (engines.md)",
  ),

  replicaShare: argued(
    0.5,
    [0.3, 1],
    "share",
    "share of an insert's processor time that each additional replica spends to fetch rows and merge",
  ),
  partsPerS: argued(
    15,
    [5, 30],
    "inserts/s",
    "inserts that one table takes for days without its merges falling behind",
  ),
  serverMs: argued(
    30,
    [10, 80],
    "ms",
    "time that a network and a second replica's acknowledgement add to an append",
  ),

  utilisation: policy(0.5, [0.4, 0.7], "share", "share of a machine that may be busy in the busiest minute"),
  drainHeadroom: policy(1.5, [1.25, 3], "×", "capacity of workers and event store over the peak"),
  nightHours: policy(4, [2, 8], "h", "how long a night may take"),
  bufferHours: policy(2, [1, 8], "h", "hours of peak load that the queue's disks hold"),
  diskFill: policy(
    0.7,
    [0.6, 0.8],
    "share",
    "share of an event node's disk that may be full: merges need the rest",
  ),
  nodeDiskGiB: policy(8_192, [4_096, 16_384], "GiB", "largest disk of an event node"),

  vcpuHour: price(0.045, [0.03, 0.06], "$/h", "a vCPU with 4 GiB of memory"),
  ssdGiBMonth: price(0.08, [0.04, 0.12], "$/GiB", "network SSD, a month"),
  crossZoneGiB: price(0.02, [0, 0.02], "$/GiB", "between zones, both sides"),
  ingressGiB: price(0.008, [0, 0.02], "$/GiB", "load balancer with TLS"),
  backupGiBMonth: price(0.023, [0.01, 0.03], "$/GiB", "object storage for one copy, a month"),
} as const satisfies Readonly<Record<string, Input>>;

export type InputName = keyof typeof INPUTS;
export type Values = Readonly<Record<InputName, number>>;

/** Returns all inputs at their values, except the given ones. */
export function valuesOf(change: Partial<Values> = {}): Values {
  const values = Object.fromEntries(Object.entries(INPUTS).map(([name, { value }]) => [name, value]));
  return { ...(values as Values), ...change };
}
