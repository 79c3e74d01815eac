import { type ControlPlane, changeOrder, FREE_PLAN } from "@assay/domain";
import { CompiledQuery, type Kysely } from "kysely";
import { expect, test } from "vitest";
import { createMigrator } from "../../control/schema/migrator.ts";
import type { Database } from "../../control/schema/schema.ts";
import { FEBRUARY, JANUARY, NO_USAGE, NOW, nextOf } from "./fixtures.ts";
import { drawnOf, planOf } from "./judging-fixtures.ts";

/** An empty database, as raw SQL and as a control plane. */
export interface EmptyDatabase {
  readonly db: Kysely<Database>;
  readonly plane: ControlPlane;
}

interface OlderAssay {
  /** Its last migration. */
  readonly migration: string;
  readonly data: readonly string[];
  /** Checks that nothing was lost and that what newer migrations add works. */
  readonly check: (plane: ControlPlane) => Promise<void>;
}

const SHARED = {
  ...{ name: "spent", kind: "mean", category: "business", methodDefault: "auto", metricVersion: 1 },
  ...{ sharedOrgWide: true, cap: 5, judge: null, description: null },
};

/** An experiment with two versions. The first has a metric that is no longer shared. */
function sharing(
  id: string,
  orgId: string,
  { at, latest }: { readonly at: number; readonly latest: readonly object[] },
): readonly string[] {
  const configs = [[{ ...SHARED, name: "gone" }], latest].map((metrics) => JSON.stringify({ metrics }));
  return [
    `insert into experiments (id, org_id, name, version, status, created_at) values ('${id}', '${orgId}', '${id}', 2, 'running', 1)`,
    ...configs.map(
      (config, index) =>
        `insert into experiment_versions values ('${id}', ${index + 1}, '${config}', '[]', ${at + index}, 'u1')`,
    ),
  ];
}

const OLDER: readonly OlderAssay[] = [
  {
    migration: "0004-analysis",
    data: [
      "insert into orgs (id, external_id, name, config_version, created_at) values ('o1', 'x1', 'Acme', 7, 1)",
      `insert into usage (org_id, month, events) values ('o1', '${JANUARY}', 3000000000)`,
      "insert into experiments (id, org_id, name, version, status, created_at) values ('e1', 'o1', 'e', 1, 'running', 1)",
      `insert into audit_entries values ('a1', 'o1', ${NOW}, 'u1', 'Ada', 'ada@example.com', 'made', 'experiment', 'e1', 'Made e.', null)`,
    ],
    async check(plane) {
      expect(await plane.orgs.find("o1")).toMatchObject({ name: "Acme", configVersion: 7 });
      expect(await plane.usage.get("o1", JANUARY)).toEqual({ events: 3_000_000_000, judgeEvaluations: 0 });
      expect(await plane.usage.get("o1", FEBRUARY)).toEqual(NO_USAGE);
      expect(await plane.experiments.findOrgId("e1")).toBe("o1");
      const made = { action: "made", targetId: "e1", since: 0 };
      expect(await plane.audit.listTimes("o1", made)).toEqual([NOW]);
      expect(await plane.plans.list()).toEqual([{ orgId: "o1", state: FREE_PLAN }]);
      await plane.plans.putOverride("o1", "pro");
      await plane.usage.putEvents({ orgId: "o1", month: FEBRUARY, events: 1 });
      expect(await plane.plans.get("o1")).toEqual({ ...FREE_PLAN, override: "pro" });
      expect(await plane.usage.get("o1", FEBRUARY)).toMatchObject({ events: 1 });
    },
  },
  {
    migration: "0005-plans-and-metering",
    data: [
      "insert into orgs (id, external_id, name, config_version, created_at) values ('o1', 'x1', 'Acme', 7, 1)",
      "insert into users (id, external_id, email, name, created_at) values ('u1', 'x2', 'ada@example.com', 'Ada', 2)",
      `insert into memberships (org_id, user_id, role, role_issued_at, created_at) values ('o1', 'u1', 'owner', ${NOW}, 3)`,
      "insert into api_keys (org_id, scope, hash, sealed, created_at) values ('o1', 'secret', 'h', 's', 4)",
      `insert into sign_in_links (token_hash, external_org_id, email, name, role, expires_at) values ('t1', 'x1', 'b@example.com', 'B', 'member', ${NOW})`,
      `insert into sign_in_links (token_hash, external_org_id, email, name, role, expires_at) values ('t2', 'x1', 'c@example.com', 'C', 'admin', ${NOW})`,
    ],
    check: checkPeople,
  },
  {
    migration: "0006-people-and-billing",
    data: [
      "insert into orgs (id, external_id, name, config_version, created_at) values ('o1', 'x1', 'Acme', 7, 1)",
      "insert into experiments (id, org_id, name, version, status, created_at) values ('e1', 'o1', 'e', 1, 'running', 1)",
      `insert into results values ('o1', 'e1', '2026-01-01', 5, 0, 6, '{"srm":{"status":"passed"},"health":[],"results":{}}')`,
    ],
    async check({ results }) {
      expect(await results.find("o1", "e1")).toMatchObject({ body: { srm: { status: "passed" } } });
      const summary = { srmStatus: "passed", worstRemark: null, rows: [], tradeoffs: [] };
      const listed = await results.listLatestSummaries("o1");
      expect(listed).toMatchObject([{ label: "2026-01-01", preliminary: false, computedAt: 6, summary }]);
      expect(await results.listLabels("o1", "e1")).toEqual([]);
    },
  },
  {
    migration: "0009-key-use",
    data: [
      "insert into orgs (id, external_id, name, config_version, created_at) values ('o1', 'x1', 'Acme', 7, 1)",
      "insert into experiments (id, org_id, name, version, status, created_at) values ('e1', 'o1', 'e', 1, 'running', 1)",
      `insert into experiment_versions values ('e1', 1, '${JSON.stringify({ metrics: [{ judge: { rubric: "r" } }] })}', '[]', 1, 'u1')`,
    ],
    async check({ experiments, judgements }) {
      const { config } = await experiments.get("o1", "e1");
      expect(config.metrics).toMatchObject([{ judge: { rubric: "r", scale: "pass_fail", sampleRate: 0.1 } }]);
      const plan = planOf({ orgId: "o1", experimentId: "e1", metric: "m", metricVersion: 1 });
      expect(await judgements.putPlan(plan, [drawnOf()])).toBe(true);
      expect(await judgements.countPending("o1")).toBe(1);
    },
  },
  {
    migration: "0011-several-processes",
    data: [
      "insert into orgs (id, external_id, name, config_version, created_at) values ('o1', 'x1', 'Acme', 7, 1)",
      "insert into experiments (id, org_id, name, version, status, created_at) values ('e1', 'o1', 'e', 1, 'running', 1)",
      ...["rows", "none"].flatMap((label, index) => [
        `insert into results values ('o1', 'e1', '${label}', ${5 + index}, 0, 9, '"not read"')`,
        `insert into run_summaries values ('e1', '${label}', ${5 + index}, '{"rows":[${index === 0 ? '{"metric":"m"}' : ""}],"tradeoffs":[]}')`,
      ]),
    ],
    async check({ results }) {
      expect(await results.listLabels("o1", "e1")).toEqual(["rows"]);
      const run = await results.find("o1", "e1");
      expect(run).toMatchObject({ label: "none", body: "not read", revision: 1, revisions: 1 });
      const summary = {
        srmStatus: "passed",
        worstRemark: null,
        rows: [],
        tradeoffs: [],
        decision: null,
      } as const;
      expect(await results.putRevision({ ...run!, body: "again" }, summary)).toBe(2);
      expect(await results.find("o1", "e1")).toMatchObject({ body: "again", revision: 2, revisions: 2 });
      expect(await results.find("o1", "e1", { revision: 1 })).toMatchObject({ body: "not read" });
    },
  },
  {
    migration: "0011-several-processes",
    data: [
      "insert into orgs (id, external_id, name, config_version, created_at) values ('o1', 'x1', 'Acme', 7, 1)",
      "insert into experiments (id, org_id, name, version, status, created_at) values ('e1', 'o1', 'e', 1, 'stopped', 1)",
      `insert into experiment_versions values ('e1', 1, '${JSON.stringify({ name: "e", status: "stopped", metrics: [] })}', '[]', 1, 'u1')`,
    ],
    async check({ experiments }) {
      const stored = await experiments.find("o1", "e");
      expect(stored?.config.status).toBe("stopped");
      const archived = nextOf(stored!, { config: { name: "renamed", status: "archived" } });
      expect(await experiments.putVersion(archived)).toMatchObject({ config: { status: "archived" } });
      expect(await experiments.find("o1", "e")).toMatchObject({ id: "e1", version: 2 });
      expect(await experiments.listRemovals()).toEqual([]);
    },
  },
  {
    migration: "0011-several-processes",
    data: [
      ...["o1", "o2"].map(
        (id) =>
          `insert into orgs (id, external_id, name, config_version, created_at) values ('${id}', 'x-${id}', 'Acme', 7, 1)`,
      ),
      ...sharing("e1", "o1", { at: 5, latest: [{ ...SHARED, metricVersion: 2, description: "older" }] }),
      ...sharing("e2", "o1", { at: 6, latest: [{ ...SHARED, metricVersion: 2, description: "newer" }] }),
      ...sharing("e3", "o1", { at: 7, latest: [SHARED, { ...SHARED, name: "own", sharedOrgWide: false }] }),
      ...sharing("e4", "o2", { at: 4, latest: [{ ...SHARED, description: "other org" }] }),
    ],
    async check({ sharedMetrics, experiments }) {
      const [spent, ...more] = await sharedMetrics.list("o1");
      expect(more).toEqual([]);
      expect(spent).toEqual({
        ...SHARED,
        ...{ metricVersion: 2, description: "newer", targetEffect: 0.05, acceptFrom: null },
        ...{ displayName: null, unit: null },
      });
      expect(await sharedMetrics.list("o2")).toMatchObject([{ description: "other org" }]);
      const { config } = await experiments.get("o1", "e1");
      expect(config.metrics).toMatchObject([{ metricVersion: 2, description: "older" }]);
    },
  },
  {
    migration: "0030-waiting-traces",
    data: [
      "insert into orgs (id, external_id, name, config_version, created_at) values ('o1', 'x1', 'Acme', 7, 1)",
      "insert into waiting_traces values ('o1', 't1', 'p', null, 5, null, null, 2), ('o1', 't2', 'p', null, 5, 5, 9, 1)",
      `insert into trace_facts values ('o1', 't1', 'u0', '"ann"', null, 0, 0, null, '{"kind":"user","userId":"ann","rank":0}')`,
      `insert into trace_facts values ('o1', 't1', 'c1', null, 'scope', 1, 0, 'event', '{"kind":"call"}')`,
      `insert into trace_facts values ('o1', 't1', 's1', null, null, 0, 0, 'no-user', '{"kind":"score"}')`,
      `insert into trace_facts values ('o1', 't2', 'c1', null, 'scope', 0, 1, 'waiting', '{"kind":"call"}')`,
    ],
    async check({ waitingTraces }) {
      const due = await waitingTraces.listDue(9, 10, 1e6);
      expect(due).toMatchObject([{ traceId: "t2", facts: [{ kind: "call" }], isWhole: true }]);
      expect(await waitingTraces.countCalls("o1")).toEqual([
        { scope: "scope", isStream: true, hasUsage: false, outcome: "event", calls: 1 },
      ]);
      expect(await waitingTraces.expire(5)).toEqual(new Map());
      expect(await waitingTraces.expire(6)).toEqual(new Map([["no-user", 1]]));
      expect(await waitingTraces.countCalls("o1")).toEqual([]);
    },
  },
  {
    migration: "0030-waiting-traces",
    data: [
      "insert into orgs (id, external_id, name, config_version, created_at) values ('o1', 'x1', 'Acme', 7, 1)",
      "insert into waiting_traces values ('o1', 't1', 'p', null, 5, 5, 9, 1)",
      `insert into trace_facts values ('o1', 't1', 'u0', '"ann"', null, 0, 0, null, '{"kind":"user","userId":"ann","rank":0}')`,
    ],
    async check({ waitingTraces }) {
      expect(await waitingTraces.eraseUsers([{ orgId: "o1", userId: "ann", requestedAt: 5 }])).toBe(1);
      expect(await waitingTraces.listDue(9, 10, 1e6)).toEqual([]);
    },
  },
];

const WEEK_MS = 7 * 86_400_000;

async function checkPeople({ people, orgs, keys, signInLinks, admin }: ControlPlane): Promise<void> {
  const member = { externalUserId: "x2", externalOrgId: "x1" };
  const access = await people.findAccess(member);
  expect(access).toEqual({
    orgId: "o1",
    userId: "u1",
    email: "ada@example.com",
    name: "Ada",
    role: "owner",
    order: changeOrder(NOW, "token"),
    isRemoved: false,
    isUserDeleted: false,
    isOrgDeleted: false,
    hasSeat: true,
    requiresPasskey: false,
  });
  expect(await people.findMember("o1", "u1")).toMatchObject({ joinedAt: 3, createdAt: 3 });
  await people.putMembership({ ...member, order: 1, role: "member", isRemoved: true }, NOW);
  expect(await people.findAccess(member)).toEqual(access);
  const update = { externalId: "x2", order: changeOrder(NOW, "token"), email: "a@example.com", name: null };
  await people.putUser({ ...update, isDeleted: false }, NOW);
  expect(await people.findAccess(member)).toMatchObject({ email: "a@example.com", name: "Ada" });
  expect(await orgs.list()).toMatchObject([{ id: "o1", configVersion: 7 }]);
  expect(await keys.findByHash("h")).toMatchObject({ orgId: "o1", sealed: "s" });
  expect(await keys.getEpoch()).toBe(0);
  const key = { orgId: "o1", scope: "secret", hash: "h" } as const;
  expect(await keys.list("o1")).toMatchObject([{ ...key, lastUsedAt: null, lastBrowserUseAt: null }]);
  await keys.recordUses([{ ...key, usedAt: NOW, browserUseAt: NOW }]);
  expect(await keys.list("o1")).toMatchObject([{ ...key, lastUsedAt: NOW, lastBrowserUseAt: NOW }]);
  expect(await admin.findOrg("o1", JANUARY)).toMatchObject({ members: 1, experiments: 0 });
  const invited = await signInLinks.listInvitations("x1", NOW - 1, { limit: 5 });
  expect(new Set(invited.items.map(({ id }) => id)).size).toBe(2);
  expect(invited.items.map(({ createdAt, expiresAt }) => expiresAt - createdAt)).toEqual([WEEK_MS, WEEK_MS]);
  expect(await signInLinks.redeem("t2", NOW - 1)).toMatchObject({ email: "c@example.com", role: "admin" });
}

/** Registers the tests of upgrading a database of an older Assay. */
export function upgradeContract(name: string, openEmpty: () => Promise<EmptyDatabase>): void {
  test.each(OLDER)(`${name} keeps the data of migration $migration`, async ({ migration, data, check }) => {
    const { db, plane } = await openEmpty();
    try {
      const { error } = await (await createMigrator(db)).migrateTo(migration);
      expect(error).toBeUndefined();
      for (const statement of data) await db.executeQuery(CompiledQuery.raw(statement));
      await plane.migrate();
      await check(plane);
    } finally {
      await plane.close();
      await db.destroy();
    }
  });
}
