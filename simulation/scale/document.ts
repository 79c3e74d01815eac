import { linePlot } from "../report/line-plot.ts";
import { headroomDays } from "./day-plans.ts";
import { INPUTS, valuesOf } from "./inputs.ts";
import { simulateDay } from "./simulate-day.ts";
import {
  costTable,
  daysTable,
  effectsTable,
  headroomTable,
  inputsTable,
  inWords,
  limitsTable,
  machinesTable,
  ratesTable,
  reasonsTable,
} from "./tables.ts";

/** The path of the plot, relative to the document. */
export const BACKLOG_FIGURE = "scale/backlog.svg";
const BILLION = 1e9;
const MINUTES_PER_POINT = 10;
const SHOWN_MINUTES: readonly [from: number, until: number] = [14 * 60, 20 * 60];

/** Writes docs/scale.md. */
export function scaleDocument(): string {
  return `${[INTRODUCTION, load(), machines(), breaks(), days(), effects(), MISSING, inputList()].join("\n\n")}\n`;
}

const INTRODUCTION = `# A billion events a day

What does it take, what does it cost, and what breaks first? This page is a model: nobody has run Assay at this size. It
computes machines and costs from measurements on two cores, rules of the code and assumptions. All inputs are listed
[below](#what-goes-in) with their ranges. A second-by-second simulation of a day shows the effect of faults.
\`npm run simulate -- scale\` writes this page. If you have better inputs or prices, change them in
\`simulation/scale/inputs.ts\`. All numbers in the text come from the model.

In short:

- Accepting, queueing and storing a billion events a day is little work: 11,600 events per second on average and 35,000 at
  the peak. Two cores running everything took 57,223 per second from HTTP to queryable ([performance.md](performance.md),
  \`pipeline\`, events of half the size and an empty store). You need servers mainly for availability, then for disks.
- Storage decides the cost.
- Ingestion does not break first. Work that reads much of the history does: the usage count, then the first night of a very
  large organization.`;

function load(): string {
  return `## The load

A day has one peak of three times its mean, and bursts of twice the peak. Accepting is sized for the burst, storing for the
peak. While their events are refused, clients hold up to 10,000 events each, so a burst follows every outage of the API.

${ratesTable()}`;
}

function machines(): string {
  return `## Machines

Every role survives the loss of a machine: there is one spare api machine and one spare worker, the queue has three
replicas, the event store two, and PostgreSQL a standby. In the busiest minute, at most half of a machine is busy. Memory is
4 GiB per vCPU.

${machinesTable()}

At ${inWords(BILLION)} a day:

${reasonsTable(BILLION)}

- **api**: a request costs 108 µs for HTTP and the publish to the queue, plus the cost of its bytes. TLS ends at the load
  balancer.
- **NATS**: a message is a request, not an event, so the number of events per request decides. The limit of a stream was
  measured with three nodes and the publisher on two shared cores, so the real limit is higher. It was not measured with
  \`sync_interval: always\`, which durability requires (range of \`messageByteNs\`). The backlog is stored as received,
  uncompressed.
- **Workers** wait more than they compute. A worker appends one claim at a time (look up, insert rows, insert ids), so its
  rate is the size of a claim divided by the time of an append. The model ignores that it looks up the next ids while it
  inserts the last ones. Workers also run the nightly analyses.
- **ClickHouse**: raw events with their texts take most of the disk.
- **PostgreSQL** has almost nothing to do at any load, so two small machines are enough at every size here. A bucket is
  claimed once per experiment, however many users it has, and a config poll claims all buckets at once. Usage is one row per
  org and count. Config and keys are read only when they change.

### What it costs

${costTable()}

Approximate list prices of a large cloud, without discounts, support or staff. Network is the traffic between zones if
nothing keeps it within a zone. At ten million events a day, the machines are mostly idle and there for safety: one machine
could do the work.`;
}

function breaks(): string {
  return `## Where it breaks first

More machines do not raise these limits of today's code enough. The table shows the daily volume at which each limit is
reached, with all other inputs as listed, on one event server and on as many shards as the model gives.

${limitsTable()}

Looking up ids is not a limit, but a cost to watch. Ids are 128 bits in a partition per month. A batch's ids are looked up in
the months that may contain them, so the cost grows with the parts of these months, not with the age of the installation. A
time-ordered id takes about 5 µs of the engine, a fifth of storing the event. A random id takes up to 70 µs, because it has a
different place in every part. A single process with the embedded engine avoids most of these look-ups
([engines.md](engines.md#ids-in-memory)); several workers do not.

The size of an experiment is not a limit either: users are sampled (by plan) before the permutation tests.`;
}

function days(): string {
  return `## A day with faults

${inWords(BILLION)} events on the machines above. Each fault starts at the busiest second. Clients send refused events again
after about ten seconds, and each refusal is counted. Clients count and log the events that they drop.

${daysTable(BILLION)}

No accepted event is lost on any of these days: stored events, queued events and events held by clients add up to the
arrivals exactly (a test checks this). The event store may be down for ${INPUTS.bufferHours.value} h of peak load before
anybody except dashboard readers notices. After that the queue refuses events, and only the clients' memory is left.

Spare capacity of workers and event store, after an hour's outage at the peak:

${headroomTable(BILLION)}

![Events waiting after an hour without the event store, by the room to store](${BACKLOG_FIGURE})

With little spare capacity, the backlog drains only in the evening. Merges need capacity too: events that are stored at twice
the rate are merged at twice the rate.`;
}

function effects(): string {
  return `## What moves it most

Each input alone at both ends of its range, at ${inWords(BILLION)} a day:

${effectsTable(BILLION)}

The age of the installation, the size of events and the retention matter most; accepting matters far less. If model calls
have long prompts (4 kB and more), start there: the clients can leave texts out.`;
}

const MISSING = `## What the code does not have today

- **Several streams.** All batches pass through one stream. Beyond its limit, \`append\` would choose one of several streams
  by a hash of the org, and workers would claim from all of them.
- **Expiring ids.** \`stored_ids\` keeps every id on disk forever, so that an event is stored once, however late it is sent
  again. An operator could drop the partitions of old months, which would end deduplication after, for example, 90 days
  (\`idDays\` models this [above](#what-moves-it-most)).
- **Larger claims.** The constant 8 MiB suits one machine.
- **Cold storage.** Raw events older than a week are read one at a time, if at all. A ClickHouse storage policy that moves
  parts to object storage would remove most of the disk costs. An operator can set one; this was not tested.`;

function inputList(): string {
  return `## What goes in

\`measured\`: from a run of the bench or an earlier measurement of the engines, on two shared cores; \`argued\`: estimated
without a measurement; \`policy\`: chosen by the operator; \`load\` and \`price\`: assumptions.

${inputsTable()}`;
}

/** Draws the backlog after an hour's outage for three of the headrooms. */
export function backlogFigure(): string {
  const [from, until] = SHOWN_MINUTES;
  const series = headroomDays(valuesOf())
    .filter(([headroom]) => [1.25, 1.5, 3].includes(headroom))
    .map(([headroom, plan]) => {
      const { backlogByMinute } = simulateDay(plan);
      const minutes = Array.from(
        { length: (until - from) / MINUTES_PER_POINT + 1 },
        (_, k) => from + k * MINUTES_PER_POINT,
      );
      return {
        name: `room for ${headroom} × the peak`,
        points: minutes.map((minute) => [minute / 60, backlogByMinute[minute] ?? 0] as const),
      };
    });
  return linePlot({
    title: "Events waiting after an hour without the event store",
    xLabel: "hour of the day, UTC",
    series,
    yText: (value) => `${value / 1e6} M`,
  });
}
