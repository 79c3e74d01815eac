import { randomUUID } from "node:crypto";
import pg from "pg";
import { assignTarget } from "./assign.ts";
import { onCleanup } from "./harness/cleanup.ts";
import { compareHttp, HTTP_EXPLANATION, HTTP_HEAD, httpRow } from "./harness/compare-http.ts";
import type { Target } from "./harness/load.ts";
import { type Service, startService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { printTable } from "./harness/table.ts";

const ROUNDS = sized(5, 1);
const REQUESTS = sized(30_000, 500);

/**
 * Compares the hot paths on a shared PostgreSQL with the same paths on SQLite. Neither queries its database:
 * PostgreSQL announces changes. Needs ASSAY_TEST_DATABASE_URL.
 */
export async function benchShared(): Promise<void> {
  const url = process.env.ASSAY_TEST_DATABASE_URL;
  if (url === undefined) {
    console.log("\n## shared\n\nNot run: it needs a PostgreSQL database at ASSAY_TEST_DATABASE_URL.");
    return;
  }
  const databaseUrl = await freshSchema(url);
  const [shared, alone] = [await startService({ databaseUrl }), await startService()];
  const routes = [
    { name: "POST /v1/assign", target: assignTarget },
    { name: "GET /v1/config, 200 (gzip)", target: configTarget },
  ];
  const rows: (readonly string[])[] = [];
  for (const { name, target } of routes) {
    const match = { service: target(shared), references: [target(alone)] };
    const [ratio] = await compareHttp({ ...match, rounds: ROUNDS, requests: REQUESTS });
    rows.push(httpRow({ name, reference: "the service on SQLite", aim: null }, ratio!));
  }
  printTable("shared", HTTP_EXPLANATION, [HTTP_HEAD, ...rows]);
  await Promise.all([shared.stop(), alone.stop()]);
}

function configTarget({ url, pid, key }: Service): Target {
  const headers = { "x-api-key": key, "accept-encoding": "gzip" };
  return { url: `${url}/v1/config`, pid, method: "GET", headers, status: 200 };
}

/** Makes a schema that the cleanup drops; returns its URL. */
async function freshSchema(url: string): Promise<string> {
  const schema = `assay_bench_${randomUUID().replaceAll("-", "")}`;
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`create schema ${schema}`);
  onCleanup(async () => {
    await server.query(`drop schema ${schema} cascade`);
    await server.end();
  });
  const database = new URL(url);
  database.searchParams.set("options", `-c search_path=${schema}`);
  return database.href;
}
