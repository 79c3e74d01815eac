import { randomUUID } from "node:crypto";
import {
  type Access,
  type AuditEntry,
  type BucketMap,
  type ControlStores,
  changeOrder,
  DEFAULT_PLAN,
  type Exclusion,
  type Experiment,
  type ExperimentConfig,
  type ExperimentReplay,
  type GuardLook,
  type HoldbackReport,
  type MembershipUpdate,
  monthOf,
  type NewVersion,
  type Page,
  type PageQuery,
  type Usage,
} from "@assay/domain";

export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
export const JANUARY = monthOf(NOW);
export const FEBRUARY = monthOf(Date.UTC(2026, 1));
export const NO_USAGE: Usage = { events: 0, judgeEvaluations: 0 };
export const BUCKETS = 100;

/** Text that breaks careless quoting, encoding or pattern matching. */
export const ODD_TEXT = `O'Hara "quoted" \\ back\\0slash %_* ; drop table orgs;-- $1 ? \t\r\n é e\u0301 漢字 🧪 \u202eright ${"x".repeat(500)}`;

export const membershipOf = (overrides: Partial<MembershipUpdate> = {}): MembershipUpdate => ({
  externalUserId: `user_${randomUUID()}`,
  externalOrgId: `org_${randomUUID()}`,
  order: changeOrder(NOW, "token"),
  role: "admin",
  isRemoved: false,
  ...overrides,
});

/** Creates a member, of a new org unless the overrides name one, and returns the access. */
export async function newMember(
  { people }: Pick<ControlStores, "people">,
  overrides: Partial<MembershipUpdate> = {},
  now = NOW,
): Promise<Access> {
  const membership = membershipOf(overrides);
  await people.putMembership(membership, now);
  return (await people.findAccess(membership))!;
}

/** Creates an org for one test and returns its id. */
export const newOrg = async (stores: Pick<ControlStores, "people">): Promise<string> =>
  (await newMember(stores)).orgId;

export const configOf = (overrides: Partial<ExperimentConfig> = {}): ExperimentConfig => ({
  name: `experiment ${randomUUID()}`,
  salt: "salt",
  bucketCount: BUCKETS,
  allocation: [
    { variant: "control", weight: 1 },
    { variant: "treatment", weight: 1 },
  ],
  coverage: 1,
  assignment: "assay",
  flagKey: null,
  visibility: "client",
  unit: "user",
  variants: [
    { key: "control", prompt: null, variables: null, description: null, enabled: true },
    { key: "treatment", prompt: ODD_TEXT, variables: { depth: [1, null] }, description: null, enabled: true },
  ],
  control: "control",
  tags: ["search", ODD_TEXT],
  status: "running",
  metrics: [],
  plan: { ...DEFAULT_PLAN, horizonWeeks: 3, basis: "traffic", expectedUsers: 900, reason: ODD_TEXT },
  hypothesis: null,
  description: ODD_TEXT,
  decision: null,
  shippedVariant: null,
  qaUsers: { treatment: ["tester", ODD_TEXT] },
  guard: {
    errorRate: 0.01,
    latency: null,
    costPerCall: 0.5,
    costPerUser: 0.3,
    missingUsage: 0,
    truncation: 0.02,
  },
  rollout: { stages: [5, 50], minMinutes: 60, stage: 1, since: 7 },
  holdback: null,
  holds: [{ from: 5, to: 9, reason: ODD_TEXT, guardrail: null }],
  ...overrides,
});

export const HALVES: BucketMap = [
  { start: 0, end: BUCKETS / 2, variant: "control" },
  { start: BUCKETS / 2, end: BUCKETS, variant: "treatment" },
];

export const versionOf = (orgId: string, overrides: Partial<NewVersion> = {}): NewVersion => ({
  id: randomUUID(),
  orgId,
  version: 1,
  config: configOf(),
  bucketMap: HALVES,
  at: NOW,
  by: "ada",
  ...overrides,
});

/** Returns the version after `experiment`, with the given changes. */
export const nextOf = (
  experiment: Experiment,
  changes: Partial<Omit<NewVersion, "config">> & { config?: Partial<ExperimentConfig> } = {},
): NewVersion => ({
  id: experiment.id,
  orgId: experiment.orgId,
  version: experiment.version + 1,
  bucketMap: experiment.bucketMap,
  at: experiment.updatedAt + 1000,
  by: "grace",
  ...changes,
  config: { ...experiment.config, ...changes.config },
});

export const newExperiment = (
  stores: ControlStores,
  orgId: string,
  overrides: Partial<NewVersion> = {},
): Promise<Experiment> => stores.experiments.create(versionOf(orgId, overrides));

export const exclusionOf = (overrides: Partial<Exclusion> = {}): Exclusion => ({
  number: 1,
  reason: ODD_TEXT,
  match: { userIds: [ODD_TEXT, "u1"], from: NOW, to: NOW + 1 },
  lifts: null,
  actor: { id: "u1", name: ODD_TEXT, email: "ada@example.com" },
  createdAt: NOW,
  ...overrides,
});

export const guardLookOf = ({ id }: Pick<Experiment, "id">, at = NOW): GuardLook => ({
  ...{ experimentId: id, at, from: 3 },
  signals: [
    {
      ...{ signal: ODD_TEXT, treatment: "b", controlValue: null, treatmentValue: 1e-300, acceptable: 0.01 },
      ...{ isRelative: false, events: 7, evidence: 1.5 },
    },
  ],
});

export const holdbackReportOf = ({ id }: Pick<Experiment, "id">, computedAt = NOW): HoldbackReport => ({
  ...{ experimentId: id, from: 5, computedAt, weeks: [], comparedWith: ODD_TEXT },
  overall: { from: 5, to: 9, users: { [ODD_TEXT]: 7 }, srmP: 1e-300, isWithheld: true, rows: [] },
  changes: [],
});

export const replayOf = (
  { id, version }: Pick<Experiment, "id" | "version">,
  overrides: Partial<ExperimentReplay> = {},
): ExperimentReplay => ({
  ...{ experimentId: id, version, control: ODD_TEXT, until: NOW, computedAt: NOW + 1 },
  ...{ splits: 1_000, permutations: 200, maxUsers: 10_000 },
  metrics: [
    {
      ...{ metric: ODD_TEXT, metricVersion: 1, users: 268, test: "welch_t", splits: 1_000 },
      ...{ falsePositiveRate: 0.1, bandLow: 0.033, bandHigh: 0.069, value: 1e-300, effectSd: 0.1 },
      ...{ standardError: 0.05, smallestEffect: 0.28, largestUserShare: null },
      ...{ verdict: "false-alarms", causes: ["standard-error"], detail: ODD_TEXT },
    },
  ],
  ...overrides,
});

export const entryOf = (orgId: string, overrides: Partial<AuditEntry> = {}): AuditEntry => ({
  id: randomUUID(),
  orgId,
  at: NOW,
  actor: { id: "u1", name: ODD_TEXT, email: "ada@example.com" },
  action: "experiment.updated",
  targetType: "experiment",
  targetId: "e1",
  summary: ODD_TEXT,
  diff: { "/name": { from: "a", to: ODD_TEXT } },
  ...overrides,
});

/** Reads all pages of a list. */
export async function readAll<T>(
  limit: number,
  list: (page: PageQuery) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const items: T[] = [];
  let page = await list({ limit });
  while (page.nextCursor !== null) {
    items.push(...page.items);
    page = await list({ limit, cursor: page.nextCursor });
  }
  return [...items, ...page.items];
}
