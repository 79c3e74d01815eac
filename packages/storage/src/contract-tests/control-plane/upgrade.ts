import { type ControlPlane, FREE_PLAN } from "@assay/domain";
import { CompiledQuery, type Kysely } from "kysely";
import { expect, test } from "vitest";
import { createMigrator } from "../../control/migrator.ts";
import type { Database } from "../../control/schema.ts";
import { FEBRUARY, JANUARY, NO_USAGE, NOW } from "./fixtures.ts";

/** An empty database: bare, and opened as a control plane. */
export interface EmptyDatabase {
  readonly db: Kysely<Database>;
  readonly plane: ControlPlane;
}

/** What an Assay with the migrations up to 0004 had stored. */
const DATA_OF_0004 = [
  "insert into orgs (id, external_id, name, config_version, created_at) values ('o1', 'x1', 'Acme', 7, 1)",
  `insert into usage (org_id, month, events) values ('o1', '${JANUARY}', 3000000000)`,
  "insert into experiments (id, org_id, name, version, status, created_at) values ('e1', 'o1', 'e', 1, 'running', 1)",
  `insert into audit_entries values ('a1', 'o1', ${NOW}, 'u1', 'Ada', 'ada@example.com', 'made', 'experiment', 'e1', 'Made e.', null)`,
];

/** Registers the tests of upgrading a database that holds the data of an older Assay. */
export function upgradeContract(name: string, openEmpty: () => Promise<EmptyDatabase>): void {
  test(`${name} keeps the data of migration 0004 and takes what 0005 brings`, async () => {
    const { db, plane } = await openEmpty();
    try {
      const { error } = await (await createMigrator(db)).migrateTo("0004-analysis");
      expect(error).toBeUndefined();
      for (const statement of DATA_OF_0004) await db.executeQuery(CompiledQuery.raw(statement));
      await plane.migrate();
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
    } finally {
      await plane.close();
      await db.destroy();
    }
  });
}
