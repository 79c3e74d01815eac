import { DAY_MS, type Day, startOfDay } from "@assay/domain";
import { sized } from "./sized.ts";

export const EXPERIMENTS = sized(20, 2);
/**
 * Events of a user in one experiment: the exposure, then calls. For some users the second event is a
 * purchase.
 */
export const EVENTS_PER_USER = 20;
export const TRAFFIC_DAYS = 14;
const BUYERS = 0.3;
/** How many experiments each user of the org is in, if the org has that many. */
const EXPERIMENTS_PER_USER = sized(5, 2);

const ARMS = ["base", "concise", "verbose"] as const;
/** The arm that the others are compared with. */
export const [CONTROL] = ARMS;
/** The only effects: one treatment has shorter calls, the other more expensive ones. */
const LATENCY_FACTORS = [1, 0.9, 1];
const COST_FACTORS = [1, 1, 1.2];

/** The parameters of a bench experiment: five metrics, two treatments. */
export const ROWS_PER_EXPERIMENT = 10;

const metric = (name: string, kind: string, category: string, change: object = {}) => ({
  name,
  kind,
  category,
  method_default: "auto",
  metric_version: 1,
  shared_org_wide: false,
  ...change,
});
const purchase = { source: { event: "business_event", business_metric: "purchase" } };

/** Kinds of experiments whose nights are compared: on users, on conversations, and on users with metrics of agents' runs. */
export type NightForm = "users" | "conversations" | "runs";

/** Makes the body that creates an experiment with every kind of test that the pipeline chooses by itself. */
export function nightlyExperiment(index: number, form?: NightForm): object {
  return {
    name: `night-${index}`,
    salt: `night-${index}`,
    bucket_count: 1000,
    ...(form === "conversations" && { unit: "conversation" }),
    status: "running",
    control: CONTROL,
    allocation: ARMS.map((variant) => ({ variant, weight: 1 })),
    metrics: [
      metric("latency_per_call", "ratio", "latency"),
      metric("latency_p95", "quantile", "latency"),
      metric("cost_per_user", "mean", "cost"),
      metric("conversion", "binary", "business", purchase),
      metric("revenue_per_user", "mean", "business", purchase),
    ],
  };
}

/** A part of the traffic: users per experiment, and their events from `first` to before `end`. */
export interface TrafficSlice {
  readonly orgId: string;
  readonly experimentIds: readonly string[];
  readonly lastDay: Day;
  readonly users: number;
  readonly first: number;
  readonly end: number;
  /** If present, each user (or each conversation, four per user) has three runs, whose ends are the last events. */
  readonly form?: NightForm;
  /** If true, each user's events fall within 24 hours, so that all days but the first have equally many; later events are left out. */
  readonly isEven?: boolean;
  /** Only the events of these days; absent: of all. */
  readonly days?: "earlier" | "last";
}

const RUNS = 3;
const CONVERSATIONS_PER_USER = 4;

/**
 * Writes the statement with which the engine generates the rows from hashes of experiment, user and event, so
 * that every run has the same traffic. Users enter over the whole period, including its last day. Without
 * `isEven`, their later events are spread over the rest of the period.
 */
export function insertTrafficSql(slice: TrafficSlice): string {
  const { orgId, experimentIds, lastDay, users, first, end, form, isEven = false, days } = slice;
  const perUser = end - first;
  const experiments = experimentIds.length;
  const persons = users / Math.min(EXPERIMENTS_PER_USER, experiments);
  const start = startOfDay(lastDay) - (TRAFFIC_DAYS - 1) * DAY_MS;
  const share = (...keys: readonly string[]) => `((sipHash64(${keys.join(", ")}) % 1000003 + 1) / 1000005)`;
  // Log-logistic: a heavy tail from one uniform number.
  const spread = (power: number, ...keys: readonly string[]) =>
    `pow(${share(...keys)} / (1 - ${share(...keys)}), ${power})`;
  const call = (value: string) => `if(type = 'model_call', ${value}, NULL)`;
  return `
    INSERT INTO raw_events (org_id, experiment_id, user_id, event_id, type, occurred_at, received_at, variant,
      latency_ms, time_to_first_token_ms, input_tokens, output_tokens, cost_usd, error, business_metric, value${form === undefined ? "" : ", unit_id, run_id, completed"})
    WITH
      intDiv(number, ${users * perUser}) AS e,
      intDiv(number, ${perUser}) % ${users} AS i,
      number % ${perUser} + ${first} AS k,
      (e * ${persons} + i) % ${persons * experiments} AS person,
      sipHash64(e, i, 'arm') % ${ARMS.length} + 1 AS arm,
      multiIf(k = 0, 'exposure', ${form === undefined ? "" : `k >= ${EVENTS_PER_USER - RUNS}, 'run_end', `}k = 1 AND ${share("e", "i", "'buys'")} < ${BUYERS}, 'business_event',
        'model_call') AS type,
      ${share("e", "i", "'enters'")} * ${TRAFFIC_DAYS * DAY_MS} AS enters,
      enters + if(k = 0, 0, ${share("e", "i", "k", "'at'")} * ${isEven ? DAY_MS : `(${TRAFFIC_DAYS * DAY_MS} - enters)`}) AS after,
      fromUnixTimestamp64Milli(toInt64(${start} + floor(after)), 'UTC') AS at,
      800 * ${list(LATENCY_FACTORS)}[arm] * ${spread(0.2, "person", "'slow'")} * ${spread(0.25, "e", "i", "k", "'ms'")}
        AS latency,
      0.002 * ${list(COST_FACTORS)}[arm] * ${spread(0.2, "person", "'dear'")} * ${spread(0.3, "e", "i", "k", "'usd'")}
        AS cost
    SELECT '${orgId}', [${experimentIds.map((id) => `'${id}'`).join(", ")}][e + 1], concat('user-', toString(${form === "conversations" ? `intDiv(i, ${CONVERSATIONS_PER_USER})` : "person"})),
      lower(hex(sipHash128(e, i, k))), type, at, at, [${ARMS.map((arm) => `'${arm}'`).join(", ")}][arm],
      ${call("round(latency, 1)")}, ${call("round(latency / 4, 1)")}, ${call("toFloat64(200 + sipHash64(e, i, k, 'in') % 2000)")},
      ${call("toFloat64(50 + sipHash64(e, i, k, 'out') % 800)")}, ${call("round(cost, 6)")},
      ${call(`toUInt8(${share("e", "i", "k", "'error'")} < 0.02)`)}, if(type = 'business_event', 'purchase', ''),
      if(type = 'business_event', round(20 * ${spread(0.4, "e", "i", "'spends'")}, 2), NULL)${form === undefined ? "" : runColumns(form)}
    FROM numbers(${experiments * users * perUser})
    WHERE after < ${TRAFFIC_DAYS * DAY_MS}
      ${days === undefined ? "" : `AND (at >= fromUnixTimestamp64Milli(${startOfDay(lastDay)})) = ${days === "last"}`}`;
}

/** Writes the columns of the unit, the run, and whether the run completed its task. */
function runColumns(form: NightForm): string {
  const unit = form === "conversations" ? "concat('unit-', toString(i))" : "''";
  const run = `if(type IN ('model_call', 'run_end'), concat('run-', toString(i), '-', toString(k % ${RUNS})), '')`;
  return `, ${unit}, ${run}, if(type = 'run_end', toUInt8(sipHash64(e, i, k, 'done') % 10 < 7), NULL)`;
}

function list(values: readonly number[]): string {
  return `[${values.map((value) => value.toFixed(1)).join(", ")}]`;
}
