import { randomUUID } from "node:crypto";
import { test } from "vitest";
import { freshSchema } from "../../../../tests/servers/fresh-engines.ts";

interface OpenedEngine {
  /** For `openTestService`; null: the embedded engine. */
  readonly databaseUrl: string | null;
  drop(): Promise<void>;
}

export interface ControlEngine {
  readonly engine: string;
  open(): Promise<OpenedEngine>;
}

/** The engines of the control plane that a test can run on: PostgreSQL only where the environment names a server. */
export function controlEngines(what: string): readonly ControlEngine[] {
  const embedded = { engine: "SQLite", open: async () => ({ databaseUrl: null, drop: async () => {} }) };
  const url = process.env.ASSAY_TEST_DATABASE_URL;
  if (url !== undefined) return [embedded, { engine: "PostgreSQL", open: () => openSchema(url) }];
  console.warn(`NOT RUN: ${what} on PostgreSQL. Set ASSAY_TEST_DATABASE_URL to run it.`);
  test.skip(`NOT RUN: ${what} on PostgreSQL (ASSAY_TEST_DATABASE_URL is not set)`, () => {});
  return [embedded];
}

/** Makes a schema of its own on the test's database. */
async function openSchema(server: string): Promise<OpenedEngine> {
  const { url, drop } = await freshSchema(server, `assay_test_${randomUUID().replaceAll("-", "")}`);
  return { databaseUrl: url, drop };
}
