import {
  type AttributionFacts,
  type CheckSeverity,
  type ExposedUsers,
  type HealthCheck,
  isPublic,
  type MetricDefinition,
  nearestOf,
} from "@assay/domain";
import { sumOf } from "@assay/stats";
import { armShares, countWords, earliest, type HealthFacts, nobodyExposed } from "./facts.ts";
import { counted, countedOf, partText } from "./share-text.ts";

/**
 * A fault that affects this share of the users, and at least this many, stops every decision (docs/attribution.md).
 */
export const FAULT_SHARE = 0.01;
export const FAULT_USERS = 5;
/** Two arms are swapped when the map assigns this share of the users to the other one. */
const SWAPPED_SHARE = 0.9;
const NAMED = 3;

/** Checks which users the events are about, and who sent them. */
export function attributionChecks(facts: HealthFacts): readonly HealthCheck[] {
  return [
    conflictCheck(facts),
    ineligibleCheck(facts),
    earlyOutcomesCheck(facts),
    mixedSourcesCheck(facts),
    unknownMetricsCheck(facts),
    supersededCheck(facts),
  ];
}

/** Returns whether `users` are too many to be explained by chance or single senders, out of `of`. */
export function areMany(users: number, of: number): boolean {
  return users >= FAULT_USERS && users >= FAULT_SHARE * of;
}

const severityOf = (users: number, of: number): CheckSeverity => (areMany(users, of) ? "critical" : "info");

const usersOf = (rows: readonly { readonly users: number }[]): number =>
  sumOf(rows.map(({ users }) => users));

/** Compares each user's first exposure with the bucket map at that time. */
function conflictCheck(facts: HealthFacts): HealthCheck {
  const { experiment, attribution } = facts;
  const compared = attribution.firstExposures.filter(({ source }) => source !== null);
  const conflicts = compared.filter(({ variant, assignedVariant }) => variant !== assignedVariant);
  const [users, total] = [usersOf(conflicts), usersOf(compared)];
  const base = {
    code: "assignment-conflicts",
    measure: "share",
    value: total === 0 ? null : users / total,
    threshold: FAULT_SHARE,
    since: null,
    arms: armShares(
      facts,
      compared.map((row) => ({
        arm: row.variant,
        count: row.variant === row.assignedVariant ? 0 : row.users,
        of: row.users,
      })),
    ),
  } as const;
  if (experiment.config.assignment === "external") {
    const { flagKey } = experiment.config;
    const by = flagKey === null ? "Another system" : `The flag "${flagKey}" of another system`;
    const detail = `${by} assigns variants ("assignment": "external"): exposures are not compared with the bucket map.`;
    return { ...base, severity: "no-data", detail, action: null, value: null };
  }
  if (total === 0)
    return {
      ...base,
      severity: "no-data",
      detail: "No exposure was compared with the bucket map yet.",
      action: null,
    };
  const { many, ofUsers } = countWords(facts);
  const found = `${partText(users, total, `${many}${ofUsers}`)} were exposed to another variant than the bucket map gives them`;
  if (users === 0) return { ...base, severity: "ok", detail: `${found}.`, action: null };
  const detail = `${found}: ${sendersText(conflicts)}.${swapText(conflicts, compared)}`;
  return { ...base, severity: severityOf(users, total), detail, action: conflictAction(conflicts, many) };
}

/** Lists the senders, most users first. */
function sendersText(rows: readonly ExposedUsers[]): string {
  const bySender = new Map<string, number>();
  for (const { client, source, users } of rows) {
    const sender = client ?? `${source} without a client library`;
    bySender.set(sender, (bySender.get(sender) ?? 0) + users);
  }
  const senders = [...bySender].sort(([, a], [, b]) => b - a);
  const named = senders.slice(0, NAMED).map(([sender, users]) => `${counted(users)} by ${sender}`);
  return `${named.join(", ")}${senders.length > NAMED ? `, and ${senders.length - NAMED} more senders` : ""}`;
}

function swapText(conflicts: readonly ExposedUsers[], compared: readonly ExposedUsers[]): string {
  if (usersOf(conflicts) < SWAPPED_SHARE * usersOf(compared)) return "";
  const arms = new Set(conflicts.flatMap(({ variant, assignedVariant }) => [variant, assignedVariant ?? ""]));
  return arms.size === 2 ? ` The arms are swapped: ${[...arms].join(" and ")}.` : "";
}

function conflictAction(conflicts: readonly ExposedUsers[], many: string): string {
  if (conflicts.every(({ source }) => source === "import"))
    return `If another system assigned these ${many}, set "assignment" of the experiment to "external". Otherwise correct the variant column and set the imported rows aside.`;
  return "Let only assign, or a client library with the current config, choose the variant, and send the variant it returned. Set the wrong exposures aside by client or key.";
}

/**
 * Counts exposures that count for no arm. A stray exposure names a variant without a share of the
 * users.
 */
function ineligibleCheck(facts: HealthFacts): HealthCheck {
  const { ineligible, firstExposures } = facts.attribution;
  const exposed = usersOf(firstExposures);
  const stray = usersOf(ineligible.filter(({ reason }) => reason === "stray")) + facts.strayUsers;
  const users = usersOf(ineligible) + facts.strayUsers;
  const total = exposed + users;
  const base = {
    code: "ineligible-exposures",
    measure: "share",
    value: total === 0 ? null : users / total,
    threshold: FAULT_SHARE,
    since: earliest(ineligible.map(({ since }) => since)),
    arms: armShares(
      facts,
      ineligible.flatMap(({ variant, users: count }) =>
        variant === null ? [] : [{ arm: variant, count, of: total }],
      ),
    ),
  } as const;
  if (total === 0) return { ...base, severity: "no-data", detail: nobodyExposed(facts), action: null };
  if (users === 0)
    return { ...base, severity: "ok", detail: "Every exposure counts for an arm.", action: null };
  const words = countWords(facts);
  const { many } = words;
  const reasons = [...Map.groupBy(ineligible, ({ reason }) => reason)].map(
    ([reason, rows]) =>
      `${counted(usersOf(rows))} ${reason === "stray" ? strayText(many) : REASON_TEXT[reason]}`,
  );
  if (facts.strayUsers > 0) reasons.push(`${counted(facts.strayUsers)} ${strayText(many)}`);
  const detail = `Exposures of ${countedOf(users, words)} count for no arm: ${reasons.join(", ")}.`;
  const severity = severityOf(stray, total) === "critical" ? "critical" : "info";
  return { ...base, severity, detail, action: stray === 0 ? null : STRAY_ACTION };
}

const REASON_TEXT = {
  "not-started": "before the experiment started",
  stopped: "while it was stopped",
  held: "while it was held",
  shipped: "after it was shipped",
  holdback: "in its holdback",
  qa: "of users who were on the QA list",
  disabled: "while their variant was switched off",
  uncovered: "outside the experiment's coverage",
} as const;
const strayText = (many: string) => `in a variant that had no share of the ${many}`;

const STRAY_ACTION =
  "Find who sends a variant with weight 0: a hard-coded name, a preview, or a config of another experiment.";

/**
 * Finds two faults: users whose outcomes all came before their exposure, which for model calls means wrong order or
 * wrong clocks; and outcomes without a single exposed user, which means different user ids.
 */
function earlyOutcomesCheck(facts: HealthFacts): HealthCheck {
  const exposed = usersOf(facts.attribution.firstExposures);
  const [calls, outcomes] = (["model_call", "business_event"] as const).map((type) =>
    sumOf(
      facts.attribution.outcomes.filter((row) => row.type === type).map((row) => row.usersBeforeExposure),
    ),
  ) as [number, number];
  const users = calls + outcomes;
  const base = {
    code: "outcomes-before-exposure",
    measure: "share",
    value: exposed === 0 ? null : users / exposed,
    threshold: FAULT_SHARE,
    since: null,
    arms: {},
  } as const;
  if (exposed === 0) return { ...base, severity: "no-data", detail: nobodyExposed(facts), action: null };
  const { one, many } = countWords(facts);
  const strangers = strangersText(facts, many);
  if (users === 0 && strangers !== "") {
    const action =
      one === "user"
        ? "Send the same user_id with exposures and outcomes, for example the account's id after the sign-in."
        : "Send the same unit_id with exposures and outcomes.";
    return { ...base, severity: "warning", detail: strangers, action };
  }
  if (users === 0)
    return {
      ...base,
      severity: "ok",
      detail: "Nobody's outcomes all came before the exposure.",
      action: null,
    };
  const isMany = severityOf(users, exposed) === "critical";
  return {
    ...base,
    severity: severityOf(calls, exposed) === "critical" ? "critical" : isMany ? "warning" : "info",
    detail: `All model calls of ${counted(calls)} ${many}, and all outcomes of one metric of ${counted(outcomes)} ${many}, came before their first exposure and do not count.`,
    action:
      "Send the exposure before the call it is about, and compare the clocks of the services that send exposures and outcomes.",
  };
}

/** Lists the outcomes that the experiment reads and that have no exposed user; "" when there are none. */
function strangersText({ experiment, attribution }: HealthFacts, many: string): string {
  const read = attribution.outcomes.filter((row) =>
    experiment.config.metrics.some((metric) => isReported(metric, row)),
  );
  const kinds = [...Map.groupBy(read, ({ businessMetric }) => businessMetric)];
  return kinds
    .flatMap(([name, rows]) => {
      const users = usersOf(rows);
      const strangers = sumOf(rows.map((row) => row.usersWithoutExposure));
      if (users < FAULT_USERS || strangers < users) return [];
      const calls = rows.every(({ type }) => type === "model_call") ? "model calls" : "calls";
      const what = name === null ? calls : `outcomes of ${name}`;
      return [`None of the ${counted(users)} ${many} with ${what} was exposed, so none of them count.`];
    })
    .join(" ");
}

/**
 * Finds metrics that both kinds of senders report: anybody with the publishable key can move them.
 */
function mixedSourcesCheck(facts: HealthFacts): HealthCheck {
  const { experiment, attribution } = facts;
  const open = experiment.config.metrics.filter((metric) => isMixed(metric, attribution));
  const base = {
    code: "mixed-sources",
    measure: "count",
    value: open.length,
    threshold: 1,
    since: null,
    arms: {},
  } as const;
  const leftOut = leftOutText(experiment.config.metrics, attribution);
  if (open.length === 0)
    return {
      ...base,
      severity: leftOut === "" ? "ok" : "info",
      detail: leftOut || "No metric is reported with both kinds of keys.",
      action: null,
    };
  const metrics = open.map(({ name }) => name);
  return {
    ...base,
    metrics,
    severity: "warning",
    detail: `${metrics.join(", ")}: reported with the publishable key and by trusted senders, so anybody with the publishable key can move the result.${leftOut && ` ${leftOut}`}`,
    action: 'If your servers report it, set accept_from of the metric to ["secret", "import", "signed"].',
  };
}

/** Returns whether a metric may read what a sender reports. */
export function isReported(
  { source }: Pick<MetricDefinition, "source">,
  row: AttributionFacts["outcomes"][number],
): boolean {
  if (source.event === "run") return row.type !== "business_event";
  return (
    source.event === row.type &&
    (source.event !== "business_event" || source.businessMetric === row.businessMetric)
  );
}

function isMixed(metric: MetricDefinition, { outcomes }: AttributionFacts): boolean {
  if (metric.acceptFrom !== null || metric.source.event !== "business_event") return false;
  const sources = outcomes.filter((row) => isReported(metric, row)).flatMap(({ source }) => source ?? []);
  return sources.some(isPublic) && sources.some((source) => !isPublic(source));
}

function leftOutText(metrics: readonly MetricDefinition[], { outcomes }: AttributionFacts): string {
  const counts = metrics.flatMap((metric) => {
    const { acceptFrom } = metric;
    if (acceptFrom === null) return [];
    const refused = outcomes.filter(
      (row) => isReported(metric, row) && (row.source === null || !acceptFrom.includes(row.source)),
    );
    const events = sumOf(refused.map((row) => row.events));
    return events === 0 ? [] : [`${counted(events)} events of ${metric.name}`];
  });
  return counts.length === 0
    ? ""
    : `Left out, because accept_from does not list their source: ${counts.join(", ")}.`;
}

/** Finds business metrics that nothing reads, and whose names resemble one of the experiment's. */
function unknownMetricsCheck(facts: HealthFacts): HealthCheck {
  const { experiment, attribution } = facts;
  const known = new Set(
    experiment.config.metrics.flatMap(({ source }) =>
      source.event === "business_event" ? [source.businessMetric] : [],
    ),
  );
  const exposed = usersOf(attribution.firstExposures);
  const reported = new Set(attribution.outcomes.flatMap(({ businessMetric }) => businessMetric ?? []));
  const misspelt = attribution.outcomes.flatMap(({ businessMetric, users }) => {
    if (businessMetric === null || known.has(businessMetric)) return [];
    const meant = nearestOf(bareName(businessMetric), [...known].map(bareName));
    const metric = [...known].find((name) => bareName(name) === meant);
    return metric === undefined ? [] : [{ name: businessMetric, metric, users }];
  });
  const silent = [...known].filter((name) => !reported.has(name));
  const users = usersOf(misspelt);
  const base = {
    code: "misspelt-metrics",
    measure: "count",
    value: misspelt.length,
    threshold: 1,
    since: null,
    arms: {},
  } as const;
  if (misspelt.length === 0) {
    const detail =
      silent.length === 0
        ? "Every business metric of the experiment is reported."
        : `Nobody has reported ${silent.join(", ")} yet.`;
    return { ...base, severity: silent.length === 0 || exposed === 0 ? "ok" : "info", detail, action: null };
  }
  const pairs = misspelt
    .slice(0, NAMED)
    .map(
      ({ name, metric, users: count }) =>
        `"${name}" (${counted(count)} ${countWords(facts).many}) for "${metric}"`,
    );
  return {
    ...base,
    severity: severityOf(users, exposed),
    detail: `Events are reported under a name that no metric reads, perhaps by mistake: ${pairs.join(", ")}.`,
    action:
      "Report them under the metric's name, or make the metric read the new name under a higher metric_version.",
  };
}

/** Removes case and punctuation. */
function bareName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function supersededCheck({ attribution: { supersededIds } }: HealthFacts): HealthCheck {
  return {
    code: "superseded-ids",
    measure: "count",
    value: supersededIds,
    threshold: 1,
    since: null,
    arms: {},
    severity: supersededIds === 0 ? "ok" : "info",
    detail:
      supersededIds === 0
        ? "No event id was used by both a publishable key and a trusted sender."
        : `${counted(supersededIds)} event ids were used by a publishable key and by a trusted sender: only the trusted events count.`,
    action: supersededIds === 0 ? null : "Give the events of each sender ids of their own.",
  };
}
