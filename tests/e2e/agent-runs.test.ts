import { join } from "node:path";
import { Client } from "@assay/client";
import { agent } from "@assay/client/agent";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { type Access, openAccess } from "./support/experiment.ts";
import { hasTools } from "./support/has-tools.ts";
import { ROOT, runProgram } from "./support/program.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const RUNS = 30;
const ofRun = (name: string, field: string) => ({
  ...{ name, kind: "mean", category: "reliability", method_default: "auto", metric_version: 1 },
  ...{ shared_org_wide: false, source: { event: "run", field } },
});
const body = {
  ...{ name: "agents", unit: "run", salt: "s", bucket_count: 1000 },
  allocation: ["control", "treatment"].map((variant) => ({ variant, weight: 1 })),
  metrics: [
    ofRun("tools", "tool_calls"),
    ofRun("tool_faults", "tool_errors"),
    { ...ofRun("done", "completed"), kind: "binary", category: "business" },
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

interface StoredEvent {
  readonly type: string;
  readonly unit_id: string | null;
  readonly tool_name: string | null;
  readonly error: boolean | null;
  readonly completed: boolean | null;
}

async function eventsOf(user: string): Promise<readonly StoredEvent[]> {
  const path = `/v1/experiments/${id}/events?limit=200&user_id=${user}`;
  return (await expectOk(service.send<{ items: StoredEvent[] }>("GET", path, { headers: access.session })))
    .items;
}

/** A tool works and, in every third run, another one fails; then the run ends, every fifth without its task done. */
test("what a client records about agents is stored, and becomes metrics of runs", async () => {
  const client = new Client({ apiKey, baseUrl: service.url });
  onCleanUp(async () => void (await client.close()));
  expect(await client.ready()).toBe(true);
  for (let run = 0; run < RUNS; run++) {
    await client.withUser("ann", () =>
      client.withRun(`run-${run}`, async () => {
        client.assign("agents", "ann");
        const support = agent(client, "agents", { agentName: "support" });
        expect(await support.callTool("search", async () => "found", "buckets")).toBe("found");
        if (run % 3 === 0)
          expect(() =>
            support.callTool("mail", () => {
              throw new Error("no mail");
            }),
          ).toThrow("no mail");
        support.endRun({ completed: run % 5 !== 0 });
      }),
    );
  }
  await client.close();
  await expect
    .poll(async () => (await eventsOf("ann")).length, { timeout: 60_000 })
    .toBe(RUNS * 3 + RUNS / 3);
  const events = await eventsOf("ann");
  const count = (fits: (event: StoredEvent) => boolean) => events.filter(fits).length;
  expect(count(({ type }) => type === "tool_call")).toBe(RUNS + RUNS / 3);
  expect(count(({ tool_name: tool, error }) => tool === "mail" && error === true)).toBe(RUNS / 3);
  expect(count(({ type, completed }) => type === "run_end" && completed === false)).toBe(RUNS / 5);
  expect(new Set(events.map(({ unit_id }) => unit_id)).size).toBe(RUNS);
  await expectOk(service.send("POST", `/v1/experiments/${id}/analyze`, { headers: access.session }));
  const health = service.send<{ checks: { code: string; severity: string }[] }>(
    "GET",
    `/v1/experiments/${id}/health`,
    { headers: access.session },
  );
  const checks = (await expectOk(health)).checks.filter(({ code }) => code.startsWith("runs-"));
  expect(checks.map(({ severity }) => severity)).toEqual(["ok", "ok"]);
});

/** The same in Python: one run. */
const AGENT = `
from assay import Assay
client = Assay()
assert client.wait_ready(30)
with client.as_user('bob'), client.with_run('run-py'):
    client.assign('agents', 'bob')
    support = client.agent('agents')
    assert support.call_tool('search', lambda: 'found') == 'found'
    support.end_run()
client.close()
`;

test.skipIf(!hasTools("the Python client's agents", ["python3"]))(
  "what the Python client records about agents is stored, too",
  async () => {
    const env = { PYTHONPATH: join(ROOT, "clients/python/src"), ASSAY_API_KEY: apiKey };
    const { code, stderr } = await runProgram("python3", ["-c", AGENT], {
      ...env,
      ASSAY_BASE_URL: service.url,
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await eventsOf("bob")).map(({ type }) => type).sort(), { timeout: 60_000 })
      .toEqual(["exposure", "run_end", "tool_call"]);
  },
);
