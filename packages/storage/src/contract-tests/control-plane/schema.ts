import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { newOrg } from "./fixtures.ts";

export function schemaContract(engine: () => Engine): void {
  describe("schema", () => {
    test("does not change when two processes migrate again at once", async () => {
      const [first, second] = engine().planes;
      const orgId = await newOrg(first);
      await Promise.all([first.migrate(), second.migrate()]);
      expect(await second.orgs.find(orgId)).not.toBeNull();
    });

    test("works with the data of a newer Assay that only adds to it", async () => {
      const { planes, execute } = engine();
      await execute(
        "insert into assay_migration (name, timestamp) values ('9999-x', '2999-01-01T00:00:00Z')",
      );
      try {
        await expect(planes[0].migrate()).resolves.toBeUndefined();
      } finally {
        await execute("delete from assay_migration where name = '9999-x'");
      }
    });

    test("refuses the data of an incompatible newer Assay, and leaves it usable", async () => {
      const { planes, execute } = engine();
      await execute("update schema_compatibility set readable_from = '9999-x'");
      await execute(
        "insert into assay_migration (name, timestamp) values ('9999-x', '2999-01-01T00:00:00Z')",
      );
      try {
        await expect(planes[0].migrate()).rejects.toMatchObject({
          name: "StartupError",
          message: expect.stringMatching(/newer version of Assay: start that version/),
        });
      } finally {
        await execute("delete from assay_migration where name = '9999-x'");
        await execute("update schema_compatibility set readable_from = '0011-several-processes'");
      }
      await expect(planes[0].migrate()).resolves.toBeUndefined();
    });

    test("answers a ping", async () => {
      await expect(engine().planes[0].ping()).resolves.toBeUndefined();
    });
  });
}
