import { join } from "node:path";
import { Client } from "@assay/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { type Access, openAccess } from "./support/experiment.ts";
import { hasTools } from "./support/has-tools.ts";
import { ROOT, runProgram } from "./support/program.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const CONVERSATIONS = Array.from({ length: 60 }, (_, i) => `c-${i}`);
const body = {
  ...{ name: "threads", unit: "conversation", salt: "s", bucket_count: 1000 },
  allocation: ["control", "treatment"].map((variant) => ({ variant, weight: 1 })),
  metrics: [
    {
      ...{ name: "solved", kind: "binary", category: "business", method_default: "auto" },
      ...{ metric_version: 1, shared_org_wide: false },
    },
  ],
};

let service: RunningService;
let access: Access;
let apiKey: string;
let id: string;
beforeAll(async () => {
  service = await startService(temporaryFolder());
  access = await openAccess(service);
  apiKey = access.key["x-api-key"]!;
  const created = service.send<{ id: string }>("POST", "/v1/experiments", { headers: access.session, body });
  id = (await expectOk(created)).id;
});
afterAll(cleanUp);

async function assignedByService(): Promise<readonly (string | null)[]> {
  const assigned = [];
  for (const unit_id of CONVERSATIONS) {
    const request = { headers: access.key, body: { experiment_id: id, user_id: "ann", unit_id } };
    const answer = await expectOk(service.send<{ variant: string | null }>("POST", "/v1/assign", request));
    assigned.push(answer.variant);
  }
  return assigned;
}

interface StoredEvent {
  readonly type: string;
  readonly user_id: string;
  readonly unit_id: string | null;
  readonly run_id: string | null;
}
async function storedEvents(): Promise<readonly StoredEvent[]> {
  const path = `/v1/experiments/${id}/events?limit=200`;
  const { items } = await expectOk(
    service.send<{ items: readonly StoredEvent[] }>("GET", path, { headers: access.session }),
  );
  return items;
}

test("the client gives each conversation the service's variant, and its events belong to the conversations", async () => {
  const expected = await assignedByService();
  expect(new Set(expected)).toEqual(new Set(["control", "treatment"]));
  const client = new Client({ apiKey, baseUrl: service.url });
  onCleanUp(async () => void (await client.close()));
  expect(await client.ready()).toBe(true);
  const units = CONVERSATIONS.map((unit) => client.assign("threads", { user: "ann", unit }));
  expect(units).toEqual(expected);
  client.withConversation("c-0", () =>
    client.withRun("r-0", () => {
      expect(client.assign("threads", "bob")).toBe(expected[0]);
      client.track("business_event", { experiment_id: "threads", user_id: "bob", business_metric: "solved" });
    }),
  );
  expect(client.assign("threads", "without a conversation")).toBeNull();
  await client.close();
  await expect
    .poll(async () => (await storedEvents()).length, { timeout: 60_000 })
    .toBe(CONVERSATIONS.length + 1);
  const events = await storedEvents();
  expect(new Set(events.map(({ unit_id }) => unit_id))).toEqual(new Set(CONVERSATIONS));
  expect(events.filter(({ type }) => type === "business_event")).toMatchObject([
    { user_id: "bob", unit_id: "c-0", run_id: "r-0" },
  ]);
});

/** Prints what each conversation gets. */
const ASSIGN = `
import json
from assay import Assay
client = Assay()
assert client.wait_ready(30)
print(json.dumps([client.assign('threads', 'ann', unit=f'c-{i}') for i in range(60)]))
client.close()
`;

test.skipIf(!hasTools("the Python client's conversations", ["python3"]))(
  "the Python client gives each conversation the service's variant, too",
  async () => {
    const env = { PYTHONPATH: join(ROOT, "clients/python/src"), ASSAY_API_KEY: apiKey };
    const python = await runProgram("python3", ["-c", ASSIGN], { ...env, ASSAY_BASE_URL: service.url });
    expect(JSON.parse(python.stdout)).toEqual(await assignedByService());
  },
);
