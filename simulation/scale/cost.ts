import type { Values } from "./inputs.ts";
import { type Deployment, storedBytes } from "./size-deployment.ts";

const GIB = 1024 ** 3;
const HOURS_PER_MONTH = 730;
const DAYS_PER_MONTH = 365 / 12;
/**
 * How often an event's JSON passes between machines: to the stream's leader, to two replicas, to a worker, to the event
 * store.
 */
const HOPS = 5;
/** Share of the traffic between machines that crosses zones, with three zones and no zone-aware routing. */
const CROSS_ZONE_SHARE = 2 / 3;

/** Dollars per month. */
export interface Cost {
  readonly compute: number;
  readonly disks: number;
  readonly network: number;
  readonly backup: number;
  readonly total: number;
  readonly perMillionEvents: number;
}

/** Computes the monthly cost of a deployment from the unit prices among the values. */
export function costOf({ roles }: Deployment, values: Values): Cost {
  const sum = (of: (role: (typeof roles)[number]) => number) =>
    roles.reduce((total, role) => total + of(role), 0);
  const events = values.eventsPerDay * DAYS_PER_MONTH;
  const jsonGiB = (events * values.eventBytes) / GIB;
  const compute = sum(({ machines, vcpus }) => machines * vcpus) * values.vcpuHour * HOURS_PER_MONTH;
  const disks = sum(({ machines, diskGiB }) => machines * diskGiB) * values.ssdGiBMonth;
  const network = jsonGiB * (values.ingressGiB + HOPS * CROSS_ZONE_SHARE * values.crossZoneGiB);
  const backup = (storedBytes(values) / GIB) * values.backupGiBMonth;
  const total = compute + disks + network + backup;
  return { compute, disks, network, backup, total, perMillionEvents: total / (events / 1e6) };
}
