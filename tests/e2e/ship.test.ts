import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@assay/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isNight } from "../in-night.ts";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { type Access, createExperiment, openAccess } from "./support/experiment.ts";
import { hasTools } from "./support/has-tools.ts";
import { ROOT, runProgram, startProgram } from "./support/program.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const USERS = Array.from({ length: 200 }, (_, index) => `u-${index}`);
const OF_USERS = "{client.assign('greeting', f'u-{i}') for i in range(200)}";
/** Prints which variants the users have, first and whenever that changes. */
const WATCH = `
import time
from assay import Assay
client = Assay(poll_interval=1)
assert client.wait_ready(30)
last = None
while True:
    now = ' '.join(sorted(str(variant) for variant in ${OF_USERS}))
    if now != last:
        print(now, flush=True)
    last = now
    time.sleep(.1)
`;
const WATCH_JAVA = `
import dev.assay.AssayClient;
import java.time.Duration;
import java.util.TreeSet;
class Watch {
    public static void main(String[] args) throws Exception {
        AssayClient client = AssayClient.builder().pollInterval(Duration.ofSeconds(1)).build();
        if (!client.awaitReady(Duration.ofSeconds(30))) System.exit(1);
        String last = null;
        while (true) {
            TreeSet<String> variants = new TreeSet<>();
            for (int i = 0; i < 200; i++) {
                String variant = client.assign("greeting", "u-" + i);
                variants.add(variant == null ? "None" : variant);
            }
            String now = String.join(" ", variants);
            if (!now.equals(last)) System.out.println(now);
            last = now;
            Thread.sleep(100);
        }
    }
}
`;
const PATIENCE = { timeout: 80_000, interval: 100 };

let service: RunningService;
let access: Access;
let experiment: string;
let apiKey: string;
beforeAll(async () => {
  service = await startService(temporaryFolder());
  access = await openAccess(service);
  experiment = await createExperiment(service, access, "greeting");
  apiKey = access.key["x-api-key"]!;
});
afterAll(cleanUp);

const put = (body: object) =>
  expectOk(service.send("PUT", `/v1/experiments/${experiment}`, { headers: access.session, body }));
/** The steps of the test, and what all users have after each. */
const STEPS = [
  { body: { status: "shipped", shipped_variant: "treatment" }, variants: ["treatment"] },
  { body: { status: "stopped" }, variants: ["None"] },
  { body: { status: "running" }, variants: ["control", "treatment"] },
];

test("everybody gets the shipped variant within one poll of a client, until it is taken back", async () => {
  const client = new Client({ apiKey, baseUrl: service.url, pollIntervalMs: 1_000 });
  onCleanUp(async () => void (await client.close()));
  expect(await client.ready()).toBe(true);
  const variants = () => [...new Set(USERS.map((user) => client.assign("greeting", user) ?? "None"))].sort();
  expect(variants()).toEqual(["control", "treatment"]);
  for (const step of STEPS) {
    await put(step.body);
    await expect.poll(variants, PATIENCE).toEqual(step.variants);
  }
});

/** Prints what each of the users gets. */
const ASSIGN = `
import json
from assay import Assay
client = Assay()
assert client.wait_ready(30)
print(json.dumps([client.assign('held-back', f'u-{i}') for i in range(200)]))
`;

test("while users are held back, clients give what the service assigns", async () => {
  const id = await createExperiment(service, access, "held-back");
  const change = (body: object) =>
    expectOk(service.send("PUT", `/v1/experiments/${id}`, { headers: access.session, body }));
  await change({ assignment: "assay" });
  await change({ status: "shipped", shipped_variant: "treatment", holdback: { percent: 5 } });
  const assigned = [];
  for (const userId of USERS) {
    const request = { headers: access.key, body: { experiment_id: id, user_id: userId } };
    const { variant } = await expectOk(service.send<{ variant: string }>("POST", "/v1/assign", request));
    assigned.push(variant);
  }
  expect(assigned.filter((variant) => variant === "control").length).toBeGreaterThan(0);
  expect(assigned.filter((variant) => variant === "control").length).toBeLessThan(30);
  const client = new Client({ apiKey, baseUrl: service.url });
  onCleanUp(async () => void (await client.close()));
  expect(await client.ready()).toBe(true);
  expect(USERS.map((user) => client.assign("held-back", user))).toEqual(assigned);
  if (!hasTools("the Python client's holdback", ["python3"])) return;
  const env = { PYTHONPATH: join(ROOT, "clients/python/src"), ASSAY_API_KEY: apiKey };
  const python = await runProgram("python3", ["-c", ASSIGN], { ...env, ASSAY_BASE_URL: service.url });
  expect(JSON.parse(python.stdout)).toEqual(assigned);
});

/** Starts a program that prints which variants the users have, and expects what all of them have after each step. */
async function expectSteps(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const watch = startProgram(command, args, { ...env, ASSAY_API_KEY: apiKey, ASSAY_BASE_URL: service.url });
  const lines = () => watch.stdout().trim().split("\n");
  const seen = ["control treatment"];
  await until("the client has the config", () => lines()[0] === seen[0]);
  for (const step of STEPS) {
    await put(step.body);
    seen.push(step.variants.join(" "));
    await expect.poll(lines, PATIENCE).toEqual(seen);
  }
  expect(watch.hasExited()).toBe(false);
}

test.skipIf(!hasTools("the Python client's shipped variant", ["python3"]))(
  "the Python client follows the shipped variant, too",
  () => expectSteps("python3", ["-c", WATCH], { PYTHONPATH: join(ROOT, "clients/python/src") }),
);

test.runIf(isNight() && hasTools("the Java client's shipped variant", ["java", "mvn"]))(
  "the Java client follows the shipped variant, too",
  async () => {
    // Not below the repository's own build folder: another test may be at that.
    const build = temporaryFolder();
    const pom = join(ROOT, "clients/java/pom.xml");
    const maven = ["-B", "-q", "-ntp", "-f", pom, `-DbuildDirectory=${build}`, "compile"];
    expect((await runProgram("mvn", maven)).code).toBe(0);
    const file = join(build, "Watch.java");
    writeFileSync(file, WATCH_JAVA);
    await expectSteps("java", ["-cp", join(build, "classes"), file]);
  },
  300_000,
);
