import { randomUUID } from "node:crypto";
import pg from "pg";
import { test } from "vitest";

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
async function openSchema(url: string): Promise<OpenedEngine> {
  const name = `assay_test_${randomUUID().replaceAll("-", "")}`;
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`create schema ${name}`);
  const database = new URL(url);
  database.searchParams.set("options", `-c search_path=${name}`);
  return {
    databaseUrl: database.href,
    async drop() {
      await server.query(`drop schema ${name} cascade`);
      await server.end();
    },
  };
}
