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

/** Where the plot is, seen from the document. */
export const BACKLOG_FIGURE = "scale/backlog.svg";
const BILLION = 1e9;
const MINUTES_PER_POINT = 10;
const SHOWN_MINUTES: readonly [from: number, until: number] = [14 * 60, 20 * 60];

/** Writes docs/scale.md. */
export function scaleDocument(): string {
  return `${[INTRODUCTION, load(), machines(), breaks(), days(), effects(), MISSING, inputList()].join("\n\n")}\n`;
}

const INTRODUCTION = `# A billion events a day

What would it take, what would it cost, and what breaks first? This is a model: nobody has run Assay at this size. It takes
figures that were measured on two cores, rules of the code, and assumptions, all listed [below](#what-goes-in) with the range in
which they may be wrong, and computes machines and a bill; a simulation of a day, second by second, says what faults do to it.
\`npm run simulate -- scale\` writes this page; the inputs are in \`simulation/scale/inputs.ts\`, prices among them, to be
changed by whoever knows better. Where the text gives a number, it is the model's.

In short:

- Accepting, queueing and storing a billion events a day is little work: a mean of 11,600 events a second, a peak of 35,000. Two cores that
  run everything took 28,753 a second from HTTP to queryable ([performance.md](performance.md), \`pipeline\`, events of half the size and an
  empty store). Servers are for availability first and for disks second.
- Keeping them is what costs: memory for the index of the event ids, which are kept for ever, and disks.
- What breaks first is not the way in but what reads all that ever was: the usage count, then the nights.`;

function load(): string {
  return `## The load

A day has one busy time, three times its mean, and bursts of twice that: what accepts is sized for the burst, what stores for the
peak. Clients hold back up to 10,000 events each while they are refused, so a burst is what follows every outage in front.

${ratesTable()}`;
}

function machines(): string {
  return `## Machines

Every role survives the loss of a machine: one more than needed of api and workers, three replicas in the queue, two in the event
store, a standby of PostgreSQL. At the busiest minute at most half of a machine is busy. Memory is 4 GiB per vCPU.

${machinesTable()}

At ${inWords(BILLION)} a day:

${reasonsTable(BILLION)}

- **api**: of a request, 108 µs are HTTP and the publish to the queue, the rest its bytes. TLS ends at the load balancer.
- **NATS**: a message is a request, not an event: events per request decide. The ceiling of a stream was measured with three nodes and
  the publisher on two shared cores, so it is a floor; it was not measured with \`sync_interval: always\`, which durability asks for
  (range of \`messageByteNs\`). The backlog is kept as received, uncompressed.
- **Workers** wait more than they compute: a worker appends one claim after the other (look up, insert rows, insert ids), and its rate is
  the size of a claim over the time of an append. They also run the analyses of the night.
- **ClickHouse**: of everything that is stored, the raw events with their texts take most of the disk, and the ids' index most of the memory.
- **PostgreSQL** has almost nothing to do, whatever the load: a bucket is claimed once in the life of an experiment, however many
  users it has, and a config that clients have polled claims them all at once; usage is one row per org and count; config and keys are
  read when they change. Two small machines do at every size here.

### What it costs

${costTable()}

List-like prices of a large cloud, without discounts, support or people; network is what passes between zones if nothing is done to
keep it in its own. Volumes of ten million are a set of machines that stand idle for safety: one machine would do.`;
}

function breaks(): string {
  return `## Where it breaks first

Limits of today's code that more machines do not move, or not enough: the daily volume at which each is reached with everything else
as listed, on one event server and on the shards of the table above.

${limitsTable()}

The look-up of ids is no such limit, but a cost to watch: a batch's ids are asked for as pairs of org and id, so what one costs grows with the
number of the table's parts and not with its rows. An id made of the time takes some 25 µs of the engine, as much as storing the
event; one made at random 160, since it has a place of its own in every part. Until this page was written orgs and ids were asked for as two
lists, and an id at random took 590 µs among 50 million, growing with their number: a tenth of a billion events a day with such ids would
have stopped the store within days. Nor is the size of an experiment a limit: users are sampled (by plan) before they reach the permutations.`;
}

function days(): string {
  return `## A day with faults

${inWords(BILLION)} events on the machines above; each fault comes at the busiest second. Refused events come back after about ten
seconds and are counted each time they do; what clients drop, they count and say.

${daysTable(BILLION)}

Nothing that was accepted is lost in any of these days: arrivals, what is stored, what waits and what clients hold add up to the last
event (a test holds the simulation to that). The event store may be away for ${INPUTS.bufferHours.value} h of peak load before anybody notices but the
readers of dashboards; beyond that the queue refuses, and the clients' own memory is what is left.

How much room must workers and event store have? After an hour's outage at the peak:

${headroomTable(BILLION)}

![Events waiting after an hour without the event store, by the room to store](${BACKLOG_FIGURE})

With little room it is the evening that drains the backlog. Merges of the event store want their share of the time too: what is stored at
twice the rate is merged at twice the rate.`;
}

function effects(): string {
  return `## What moves it most

Each input alone at the two ends of its range, at ${inWords(BILLION)} a day:

${effectsTable(BILLION)}

The age of the installation, the size of events and the retention decide; nothing about accepting comes near. Model calls with long
prompts (4 kB and more) are where to look first: the clients can leave texts out.`;
}

const MISSING = `## What the code does not have today

- **Several streams.** All batches pass through one stream. Beyond its ceiling: a stream per hash of the org, chosen by \`append\`, and workers
  that claim from all of them.
- **Nights on every worker.** One process leads, and it analyses four experiments at a time. Experiment-days are leased in the database
  already, so that workers could claim them; the leader would only find out which are due.
- **Ids that age.** \`event_ids\` keeps every id for ever, which is what "stored once, whenever it comes again" costs. Partitions by month of
  receipt would make counts read a month, and let an operator end the promise after, say, 90 days, which is what \`idDays\` does
  [above](#what-moves-it-most). Larger granules (256 rows today) divide the index's memory by as much, at the price of look-ups of ids made at random.
- **Larger claims.** 4 MiB is a constant, right for one machine.
- **Cold storage.** Raw events older than a week are read one at a time, if at all: a storage policy of ClickHouse that moves parts to
  object storage would take most of the disks' bill. It is the operator's to set; nothing in the code is in the way, nothing was tried.
- **The past of users by day.** The search for what users did before their first exposure reads the whole log of the org for each
  experiment. It is half of a night's work already, and all of it for large orgs with many experiments.`;

function inputList(): string {
  return `## What goes in

\`measured\`: from a run of the bench or of the earlier measurements of the engines, on two shared cores; \`argued\`: no measurement; \`policy\`:
what an operator chooses; \`load\` and \`price\`: assumptions.

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
