import type { EventStore } from "@assay/domain";
import { afterAll, onTestFinished, test } from "vitest";
import { addedColumnsContract } from "../contract-tests/added-columns.ts";
import { copiedIdsContract } from "../contract-tests/copied-ids.ts";
import { eventStoreContract } from "../contract-tests/event-store.ts";
import { onEachNode } from "../contract-tests/on-each-node.ts";
import { createTestDatabase, type TestDatabase } from "../contract-tests/test-servers.ts";
import { twoWritersContract } from "../contract-tests/two-writers.ts";
import type { AnalysisLimits } from "./analysis/plans.ts";
import { eventStoreOn } from "./clickhouse-event-store.ts";

const { ASSAY_TEST_EVENTS_URL: server, ASSAY_TEST_EVENTS_CLUSTER_URLS: cluster } = process.env;
/**
 * The embedded engine has the same version and tables, so a server needs tests only for what crosses the wire; the shards'
 * whole contract crosses it too. `npm test -- --engines servers` has the whole contract here as well.
 */
const besideOthers = cluster === undefined ? "transport" : "writes";
const ofServer = process.env.ASSAY_TEST_ENGINES === "servers" ? "all" : besideOthers;

if (server === undefined) {
  test.skip(
    "ASSAY_TEST_EVENTS_URL is not set: the event store's contract did NOT run on a ClickHouse server",
  );
} else {
  runContract("ClickHouse server", [server], { cluster: null, scope: ofServer });
}

if (cluster === undefined) {
  test.skip(
    "ASSAY_TEST_EVENTS_CLUSTER_URLS is not set: the event store's contract did NOT run on a sharded ClickHouse",
  );
} else {
  runContract("ClickHouse cluster", cluster.split(","), { cluster: "assay", scope: "all" });
}

function runContract(
  name: string,
  urls: readonly string[],
  { cluster, scope }: { readonly cluster: string | null; readonly scope: "all" | "transport" | "writes" },
): void {
  // The SQL is the embedded engine's, which tests all cases: these tell whether users on several shards are put together.
  eventStoreContract(name, storesOn(urls, cluster), { scope, share: 1 / 3 });
  twoWritersContract(name, storesOn(urls, cluster));
  const openEmpty = async () => {
    const database = await createTestDatabase(urls);
    onTestFinished(database.drop);
    return { engine: onEachNode(database.connect()), cluster };
  };
  addedColumnsContract(name, openEmpty);
  copiedIdsContract(name, openEmpty);
}

/** Opens stores on one database, which the end of the suite drops. */
function storesOn(
  urls: readonly string[],
  cluster: string | null,
): (limits?: AnalysisLimits) => Promise<EventStore> {
  const databases: Promise<TestDatabase>[] = [];
  afterAll(async () => {
    for (const database of databases) await (await database).drop();
  });
  return async (limits = {}) => {
    if (databases.length === 0) databases.push(createTestDatabase(urls));
    const { connect } = await databases[0]!;
    const store = eventStoreOn(onEachNode(connect()), cluster, limits);
    await store.migrate();
    return store;
  };
}
