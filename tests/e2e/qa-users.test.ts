import { join } from "node:path";
import { Client } from "@assay/client";
import { Client as CoreClient } from "@assay/client/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import {
  type Access,
  createExperiment,
  type Event,
  makeEvent,
  openAccess,
  postEvents,
} from "./support/experiment.ts";
import { hasTools } from "./support/has-tools.ts";
import { ROOT, runCli, runProgram } from "./support/program.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

interface Results {
  readonly srm: { readonly observed: Readonly<Record<string, number>> };
  readonly results: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly health: readonly { readonly code: string; readonly detail: string }[];
}

/** Has a QA user assigned, who buys. */
const PYTHON = `
import sys
from assay import Assay
with Assay() as client:
    assert client.wait_ready(30)
    print(client.assign('greeting', sys.argv[1]))
    client.track('business_event', {'experiment_id': 'greeting', 'user_id': sys.argv[1], 'business_metric': 'bought', 'value': 1})
`;
const hasPython = hasTools("the Python client's QA user", ["python3"]);

let service: RunningService;
let access: Access;
let experiment: string;
let options: { readonly apiKey: string; readonly baseUrl: string };
beforeAll(async () => {
  service = await startService(temporaryFolder());
  access = await openAccess(service);
  experiment = await createExperiment(service, access, "greeting");
  options = { apiKey: access.key["x-api-key"]!, baseUrl: service.url };
});
afterAll(cleanUp);

/** 200 of each arm; a fifth of control's buy, and two fifths of treatment's. */
async function sendUsers(timestamp: string): Promise<void> {
  const events = [
    { variant: "control", buyers: 40 },
    { variant: "treatment", buyers: 80 },
  ].flatMap(({ variant, buyers }) =>
    Array.from({ length: 200 }, (_, index): Event[] => {
      const about = { user_id: `${variant}-${index}`, variant, timestamp };
      const bought = { ...about, type: "business_event", business_metric: "bought", value: 1 } as const;
      return [
        makeEvent(experiment, { ...about, type: "exposure" }),
        ...(index < buyers ? [makeEvent(experiment, bought)] : []),
      ];
    }).flat(),
  );
  await postEvents(service, access, events);
}

test("QA users get their variant from three clients; a night counts them, but in no arm", async () => {
  const before = new CoreClient(options);
  expect(await before.ready()).toBe(true);
  const timestamp = new Date(Date.now() - 1_000).toISOString();
  await sendUsers(timestamp);
  const ids = Array.from({ length: 100 }, (_, index) => `qa-${index}`);
  const inControl = ids.filter((id) => before.findAssignment("greeting", id)?.variant.key === "control");
  const [byFormer, byCore, byTypescript, byPython] = inControl as [string, string, string, string];
  await before.close();
  const body = { qa_users: { treatment: [byFormer, byCore, byTypescript, byPython] } };
  await expectOk(service.send("PUT", `/v1/experiments/${experiment}`, { headers: access.session, body }));

  for (const [Sender, user] of [
    [Client, byTypescript],
    [CoreClient, byCore],
  ] as const) {
    const client = new Sender(options);
    expect(await client.ready()).toBe(true);
    expect(client.assign("greeting", user)).toBe("treatment");
    client.track("business_event", { experiment_id: "greeting", user_id: user, business_metric: "bought" });
    expect(await client.close()).toBe(true);
  }
  // A client of the version before does not know QA users and sends the variant of the bucket.
  const about = { user_id: byFormer, variant: "control", timestamp };
  await postEvents(service, access, [
    makeEvent(experiment, { ...about, type: "exposure" }),
    makeEvent(experiment, { ...about, type: "business_event", business_metric: "bought", value: 1 }),
  ]);
  if (hasPython) {
    const env = {
      ASSAY_API_KEY: options.apiKey,
      ASSAY_BASE_URL: options.baseUrl,
      PYTHONPATH: join(ROOT, "clients/python/src"),
    };
    const { code, stdout } = await runProgram("python3", ["-c", PYTHON, byPython], env);
    expect([code, stdout.trim()]).toEqual([0, "treatment"]);
  }

  const today = new Date().toISOString().slice(0, 10);
  const { code, stdout } = await runCli(["nightly", "--day", today], {
    ...{ ASSAY_DATA_DIR: service.dataDir, ASSAY_PORT: service.port },
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining("greeting: computed")]);
  const { srm, results, health } = await expectOk(
    service.send<Results>("GET", `/v1/experiments/${experiment}/results`, { headers: access.session }),
  );
  expect(srm.observed).toEqual({ control: 200, treatment: 200 });
  expect(results["bought::treatment"]).toMatchObject({ control_value: 0.2, treatment_value: 0.4 });
  const seen = hasPython ? 4 : 3;
  expect(health.find(({ code: found }) => found === "qa-users")?.detail).toBe(
    `${seen} QA users set apart, of 4 listed: they are in no arm.`,
  );
});
