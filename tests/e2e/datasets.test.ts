import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import { type Access, createExperiment, openAccess } from "./support/experiment.ts";
import { runCli } from "./support/program.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

let service: RunningService;
let access: Access;
let experiment: string;
let folder: string;
beforeAll(async () => {
  folder = temporaryFolder();
  service = await startService(folder);
  access = await openAccess(service);
  experiment = await createExperiment(service, access, "greeting");
});
afterAll(cleanUp);

const run = (...args: readonly string[]) => {
  const { port } = new URL(service.url);
  return runCli(["datasets", ...args], { ASSAY_DATA_DIR: folder, ASSAY_PORT: port });
};

test("the command line uploads, draws and lists datasets, and says what is wrong with a file", async () => {
  expect((await run("list")).stdout).toContain("There are no datasets yet.");
  const file = join(folder, "questions.jsonl.gz");
  writeFileSync(file, gzipSync('{"input": "Write to ann@example.org"}\n{"input": "Why?"}\n'));
  const uploaded = await run("upload", file, "--name", "faq");
  expect([uploaded.code, uploaded.stdout]).toEqual([
    0,
    expect.stringContaining("faq, version 1: 2 inputs.\nMasked: email 1."),
  ]);

  const broken = join(folder, "broken.csv");
  writeFileSync(broken, "input,id\n,1\nWhy?,1\nWhy?,1\n");
  const refused = await run("upload", broken, "--name", "faq");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /Line 2: The input has no user message.*\nLine 4: The id "1" is used twice/s,
  );
  expect((await run("upload", join(folder, "absent.csv"), "--name", "faq")).stderr).toMatch(/does not exist/);
  expect((await run("upload", broken)).stderr).toMatch(/--name NAME/);
  expect((await run("delete")).stderr).toMatch(/datasets list, upload FILE or draw EXPERIMENT/);

  const timestamp = new Date().toISOString();
  const calls = Array.from({ length: 9 }, (_, index) => ({
    ...{ event_id: `call-${index}`, type: "model_call", experiment_id: experiment, user_id: `u-${index}` },
    ...{ timestamp, variant: "control", prompt: `Question ${index}` },
  }));
  await expectOk(service.send("POST", "/v1/events", { headers: access.key, body: { events: calls } }));
  // An analysis waits until what was accepted is stored.
  await expectOk(service.send("POST", `/v1/experiments/${experiment}/analyze`, { headers: access.session }));
  const day = 24 * 3_600_000;
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  const window = ["--from", dayOf(Date.now() - day), "--until", dayOf(Date.now() + 2 * day)];
  const drawn = await run("draw", "greeting", "--name", "calls", ...window, "--items", "4");
  expect([drawn.code, drawn.stdout]).toEqual([
    0,
    expect.stringMatching(/calls, version 1: 4 inputs\.\nDrawn from 9 calls; 0 of/),
  ]);
  expect(
    (await run("draw", "greeting", "--name", "x", "--from", "soon", "--until", "later", "--items", "4"))
      .stderr,
  ).toMatch(/--from must be a date/);

  const { stdout } = await run("list");
  expect(stdout).toMatch(/^calls +1 +4 +calls/m);
  expect(stdout).toMatch(/^faq +1 +2 +jsonl/m);
});
