import {
  type ArmExposure,
  type CheckSeverity,
  type Day,
  type HealthCheck,
  runSeed,
  type SrmGate,
  startOfDay,
} from "@assay/domain";
import { sumOf } from "@assay/stats";
import { armShares, type CountWords, countWords, earliest, exposedArms, type HealthFacts } from "./facts.ts";
import { counted, partText, percent } from "./share-text.ts";
import { SRM_THRESHOLD, srmGate } from "./srm-gate.ts";

/** Below this p-value the split is not broken yet, but chance causes it only once in a hundred looks. */
const SRM_NOTICE = 0.01;
/** Users seen in several variants alarm at this share, if there are at least this many (statistics §4). */
const SEVERAL_SHARE = 0.01;
const SEVERAL_USERS = 10;

const SPLIT_ACTION =
  "Look for exposures that one variant loses or sends twice: crashes, slow answers, caches, redirects, bots.";

const severalAction = (one: string) =>
  `Use one id per ${one} everywhere, ${one === "user" ? "before and after sign-in, " : ""}and let only assign choose variants.`;
const nobody = ({ one }: CountWords) => `No ${one} has been exposed yet.`;

/** Checks the traffic split that the gate sees. */
export function srmCheck(facts: HealthFacts): HealthCheck {
  const { srm, health } = facts;
  const total = users(facts.exposures);
  const base = splitBase(facts, srm);
  if (total === 0) {
    const strangers = health.find(({ arm }) => arm === "")?.events ?? 0;
    const words = countWords(facts);
    const detail =
      strangers === 0
        ? nobody(words)
        : `${nobody(words)} ${counted(strangers)} events are from ${words.many} without an exposure and do not count.`;
    const action =
      strangers === 0 ? null : `Send an exposure when a ${words.one} meets a variant, with the same id.`;
    return { ...base, code: "srm", severity: "no-data", detail, action, value: null };
  }
  const severity = severityOf(srm.pValue);
  return {
    ...base,
    code: "srm",
    severity,
    detail: splitDetail(srm, total, countWords(facts)),
    action: severity === "ok" ? null : SPLIT_ACTION,
    value: srm.pValue,
    since: severity === "ok" ? null : leaningSince(facts),
  };
}

/** Finds the first UTC day from which on the cumulative split was off on every day up to the last. */
function leaningSince({ experiment, exposures, periods }: HealthFacts): number | null {
  const days = [...new Set(exposures.flatMap(({ usersByDay }) => [...usersByDay.keys()]))].sort().reverse();
  let since: Day | null = null;
  for (const day of days) {
    const soFar = exposures.map((row) => ({ ...row, users: usersUntil(row, day) }));
    if (severityOf(srmGate(soFar, periods, { seed: runSeed(experiment.id) }).pValue) === "ok") break;
    since = day;
  }
  return since && startOfDay(since);
}

function usersUntil({ usersByDay }: ArmExposure, last: Day): number {
  return sumOf([...usersByDay].map(([day, count]) => (day <= last ? count : 0)));
}

/** Counts test users, whose exposures affect only the split, and checks the split without them. */
export function testUserChecks(facts: HealthFacts): readonly HealthCheck[] {
  const { experiment, exposures, periods, srm } = facts;
  const testUsers = sumOf(exposures.map((row) => row.testUsers));
  const without =
    testUsers === 0
      ? null
      : srmGate(exposures, periods, { seed: runSeed(experiment.id), without: "test-users" });
  return [withoutCheck(facts, without ?? srm, testUsers), testEventsCheck(facts, without, testUsers)];
}

/** Never critical, because this check never withholds results. */
function withoutCheck(facts: HealthFacts, without: SrmGate, testUsers: number): HealthCheck {
  const base = { ...splitBase(facts, without), code: "srm-without-test-events" } as const;
  if (testUsers === 0) {
    const detail = "There are no test users to leave out.";
    return { ...base, severity: "no-data", detail, action: null, value: null };
  }
  const severity = severityOf(without.pValue) === "ok" ? "ok" : "warning";
  return {
    ...base,
    severity,
    detail: `Without ${countWords(facts).ofTestUsers(testUsers)}, the traffic split has p = ${without.pValue.toPrecision(2)}, with them ${facts.srm.pValue.toPrecision(2)}.`,
    action: severity === "ok" ? null : SPLIT_ACTION,
    value: without.pValue,
  };
}

function testEventsCheck(facts: HealthFacts, without: SrmGate | null, testUsers: number): HealthCheck {
  const counts = facts.exposures.map((row) => ({ arm: row.arm, count: row.testUsers, of: row.users }));
  const base = {
    code: "test-events",
    measure: "count",
    value: testUsers,
    threshold: 1,
    since: earliest(exposedArms(facts).map((arm) => arm.testEvents.since)),
    arms: armShares(facts, counts),
  } as const;
  if (without === null)
    return { ...base, severity: "ok", detail: "No test users are exposed.", action: null };
  return {
    ...base,
    severity: "info",
    detail: `${countWords(facts).ofTestUsers(testUsers)} count in the traffic split; without them its p-value is ${without.pValue.toPrecision(2)}.`,
    action: "If they change the p-value of the split, stop sending test exposures.",
  };
}

/** Counts users seen in several variants. It also alarms when leaving them out breaks a split that was fine. */
export function severalVariantsCheck(facts: HealthFacts): HealthCheck {
  const { experiment, exposures, periods, srm } = facts;
  const { many, ofUsers, ...words } = countWords(facts);
  const total = users(exposures);
  const several = sumOf(exposures.map((row) => row.contaminatedUsers));
  const share = total === 0 ? null : several / total;
  const base = {
    code: "users-in-several-variants",
    measure: "share",
    value: share,
    threshold: SEVERAL_SHARE,
    since: earliest(exposedArms(facts).map((arm) => arm.severalVariants.since)),
    arms: armShares(
      facts,
      exposures.map(({ arm, contaminatedUsers, users: of }) => ({ arm, count: contaminatedUsers, of })),
    ),
  } as const;
  if (share === null)
    return { ...base, severity: "no-data", detail: nobody({ many, ofUsers, ...words }), action: null };
  const found = `${partText(several, total, `${many}${ofUsers}`)} were seen in more than one variant`;
  if (several === 0) return { ...base, severity: "ok", detail: `${found}.`, action: null };
  const detail = `${found} and are left out of every metric`;
  const rest = srmGate(exposures, periods, { seed: runSeed(experiment.id), without: "contaminated-users" });
  if (srm.status === "passed" && rest.status === "halted")
    return { ...base, ...biased(rest, detail, words.one) };
  const isMany = several >= SEVERAL_USERS && share >= SEVERAL_SHARE;
  return {
    ...base,
    severity: isMany ? "warning" : "info",
    detail: `${detail}.`,
    action: severalAction(words.one),
  };
}

/** Leaving users out is harmless only if it affects all arms equally. */
function biased({ pValue }: SrmGate, found: string, one: string) {
  return {
    measure: "p_value",
    value: pValue,
    threshold: SRM_THRESHOLD,
    severity: "warning",
    detail: `${found}. Without them the traffic split differs from the allocation (p = ${pValue.toPrecision(2)}): one arm loses more of them than another, which may bias every metric.`,
    action: severalAction(one),
  } as const;
}

function splitBase(facts: HealthFacts, { observed }: SrmGate) {
  const total = sumOf(Object.values(observed));
  const counts = Object.entries(observed).map(([arm, count]) => ({ arm, count, of: total }));
  const arms = armShares(facts, counts);
  return { measure: "p_value", threshold: SRM_THRESHOLD, since: null, arms } as const;
}

function severityOf(pValue: number): CheckSeverity {
  if (pValue < SRM_THRESHOLD) return "critical";
  return pValue < SRM_NOTICE ? "warning" : "ok";
}

function splitDetail(
  { pValue, threshold, observed, expected }: SrmGate,
  total: number,
  { many, ofUsers }: CountWords,
): string {
  const p = `p = ${pValue.toPrecision(2)}`;
  const split = Object.entries(observed)
    .map(
      ([arm, count]) =>
        `${arm} has ${percent(count / total)} of the ${many}, expected ${percent(expected[arm]!)}`,
    )
    .join("; ")
    .concat(ofUsers === "" ? "" : `; ${counted(total)} ${many}${ofUsers}`);
  if (pValue < threshold) {
    return `The traffic split differs from the allocation (${p} < ${threshold}: ${split}). Results are withheld, because any difference could come from who was counted.`;
  }
  if (pValue < SRM_NOTICE) {
    return `The traffic split may be off (${p}: ${split}). Below ${threshold}, results are withheld.`;
  }
  const counts = ofUsers === "" ? "" : `: ${counted(total)} ${many}${ofUsers}`;
  return `The traffic split fits the allocation (${p})${counts}.`;
}

function users(exposures: readonly ArmExposure[]): number {
  return sumOf(exposures.map((row) => row.users));
}
