import type { Values } from "./inputs.ts";
import { nightOf, type Rates, ratesOf } from "./rates.ts";

const GIB = 1024 ** 3;
const HOUR_S = 3_600;
const GIB_PER_VCPU = 4;
/** Copies of every event: in the queue, and in the event store. */
const QUEUE_REPLICAS = 3;
export const STORE_REPLICAS = 2;
/**
 * Capacity of a group of three nodes with 4 vCPU; the measured stream had two cores for all three nodes and the
 * publisher.
 */
const STREAMS_PER_GROUP = 2;
const STORE_SHAPES = [4, 8, 16] as const;
/** Share of a node's memory that the index of the ids may use. */
const INDEX_SHARE = 0.25;

/** Machines of one kind. */
export interface Role {
  readonly name: string;
  readonly machines: number;
  readonly vcpus: number;
  /** Per machine. */
  readonly diskGiB: number;
  /** What determines the number or the size. */
  readonly because: string;
}

/** Everything that a load needs. */
export interface Deployment {
  readonly roles: readonly Role[];
  readonly streams: number;
  readonly shards: number;
  readonly workers: number;
  readonly storedGiB: number;
}

/**
 * Sizes roles that accept events for the burst, and roles that store them for the peak times `drainHeadroom`, with one
 * machine to spare.
 */
export function sizeDeployment(values: Values): Deployment {
  const rates = ratesOf(values);
  const queue = sizeQueue(values, rates);
  const store = sizeStore(values, rates);
  const workers = sizeWorkers(values, rates);
  const roles = [sizeApi(values, rates), queue.role, workers, ...store.roles, DATABASE];
  return {
    roles,
    streams: queue.streams,
    shards: store.shards,
    workers: workers.machines,
    storedGiB: store.storedGiB,
  };
}

/** Two small machines for the control plane: its load does not depend on the events (see docs/scale.md). */
const DATABASE: Role = {
  name: "PostgreSQL",
  machines: 2,
  vcpus: 2,
  diskGiB: 100,
  because: "one and its standby",
};

function sizeApi(values: Values, { apiCores }: Rates): Role {
  const busy = Math.ceil(apiCores / values.utilisation);
  return {
    name: "api",
    machines: Math.max(1, busy) + 1,
    vcpus: 2,
    diskGiB: 0,
    because: `${apiCores.toFixed(2)} cores in a burst, and one to lose`,
  };
}

function sizeQueue(values: Values, { burstMessages, streamMessages, peak }: Rates) {
  const streams = Math.ceil(burstMessages / (streamMessages * values.utilisation));
  const groups = Math.ceil(streams / STREAMS_PER_GROUP);
  const heldGiB = (values.bufferHours * HOUR_S * peak * values.eventBytes) / GIB / groups;
  const role: Role = {
    name: "NATS",
    machines: QUEUE_REPLICAS * groups,
    vcpus: 4,
    diskGiB: roundUp(Math.max(20, heldGiB / values.diskFill)),
    because: `three replicas of ${streams} ${streams === 1 ? "stream" : "streams"}; disks for ${values.bufferHours} h of peak`,
  };
  return { role, streams };
}

function sizeWorkers(values: Values, { peak, workerEvents }: Rates): Role {
  const storing = Math.ceil((peak * values.drainHeadroom) / workerEvents);
  const night = nightOf(values).serviceCoreHours / values.nightHours / 2;
  return {
    name: "worker",
    machines: Math.max(storing, Math.ceil(night)) + 1,
    vcpus: 2,
    diskGiB: 0,
    because:
      storing >= night
        ? `${Math.round(workerEvents).toLocaleString("en-US")} events/s each`
        : `${(2 * night).toFixed(0)} cores analyse at night`,
  };
}

function sizeStore(values: Values, rates: Rates) {
  const storedGiB = storedBytes(values) / GIB;
  const insertCores = (rates.peak * values.drainHeadroom * storeEventUs(values)) / 1e6;
  const nightCores = nightOf(values).engineCoreHours / values.nightHours / STORE_REPLICAS;
  const indexGiB = (values.idIndexBytes * values.idDays * values.eventsPerDay) / GIB;
  const shardsFor = {
    disk: storedGiB / values.diskFill / values.nodeDiskGiB,
    "insert CPU": insertCores / values.utilisation / shapeVcpus(2),
    "nights' CPU": nightCores / values.utilisation / shapeVcpus(2),
    "ids' index in memory": indexGiB / (INDEX_SHARE * shapeVcpus(2) * GIB_PER_VCPU),
  };
  const [because, needed] = Object.entries(shardsFor).sort(([, a], [, b]) => b - a)[0]!;
  const shards = Math.max(1, Math.ceil(needed));
  const vcpus = shapeFor(shards, Math.max(insertCores, nightCores) / values.utilisation, indexGiB);
  const node: Role = {
    name: "ClickHouse",
    machines: STORE_REPLICAS * shards,
    vcpus,
    diskGiB: roundUp(Math.max(50, storedGiB / values.diskFill / shards)),
    because: `${STORE_REPLICAS} replicas of ${shards} ${shards === 1 ? "shard" : "shards"}: ${because}`,
  };
  const keeper: Role = { name: "Keeper", machines: 3, vcpus: 2, diskGiB: 20, because: "a majority of three" };
  return { roles: [node, keeper], shards, storedGiB };
}

/**
 * The smallest sufficient machine if one shard is enough, the largest machine if there are several shards.
 */
function shapeFor(shards: number, cores: number, indexGiB: number): number {
  if (shards > 1) return shapeVcpus(2);
  const fits = (vcpus: number) => vcpus >= cores && vcpus * GIB_PER_VCPU * INDEX_SHARE >= indexGiB;
  return STORE_SHAPES.find(fits) ?? shapeVcpus(2);
}

function shapeVcpus(index: 0 | 1 | 2): number {
  return STORE_SHAPES[index];
}

/**
 * The engine's processor time per event in µs on one replica: the average of the replica that got the insert and those
 * that fetch it.
 */
export function storeEventUs(values: Values): number {
  const first = values.engineEventUs + values.randomIds * values.randomIdUs;
  return (first * (1 + (STORE_REPLICAS - 1) * values.replicaShare)) / STORE_REPLICAS;
}

/** Bytes of one copy of all data in the event store, once the installation is `idDays` old. */
export function storedBytes(values: Values): number {
  const raw = values.eventBytes * values.rawRatio * values.rawDays;
  return (
    values.eventsPerDay * (raw + values.analysisBytes * values.analysisDays + values.idBytes * values.idDays)
  );
}

/** Rounds up to two digits. */
function roundUp(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / unit - 1e-9) * unit;
}
