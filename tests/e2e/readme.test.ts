import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import { openAccess } from "./support/experiment.ts";
import { hasTools } from "./support/has-tools.ts";
import { NODE, ROOT, runProgram } from "./support/program.ts";
import { expectOk, metric, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

afterAll(cleanUp);

/** The lines of code under a heading of the README, word for word. */
function codeUnder(heading: string, language: "sh" | "ts" | "python"): string {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const section = readme.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1];
  if (code === undefined) throw new Error(`The README has no ${language} lines under "${heading}".`);
  return code;
}

let service: RunningService;
beforeAll(async () => {
  service = await startService(temporaryFolder());
});

test("the README's first experiment by curl ends in a result", async () => {
  // Only the address differs: the tests do not use port 8787, which may be in use.
  const script = codeUnder("A first experiment with curl", "sh").replace(
    "http://127.0.0.1:8787",
    service.url,
  );
  const env = { ASSAY_DATA_DIR: service.dataDir, ASSAY_PORT: service.port };
  const { code, stdout, stderr } = await runProgram("bash", ["-c", script], env);
  expect([code, stderr.includes("assay:")]).toEqual([0, false]);
  expect(stdout).toContain('"accepted":133,');
  expect(stdout).toMatch(/thumbs_up +control +0\.\d+ +control/);
  expect(stdout).toMatch(/ friendly +0\.\d+ .*(no difference found|significantly)/);
});

test("the README's lines for the client assign a user and deliver the outcome", async () => {
  const folder = temporaryFolder();
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "try.ts"), codeUnder("With the TypeScript client", "ts"));
  const { key } = await openAccess(service);
  const before = await metric(service, "assay_events_accepted_total");
  const env = { ASSAY_API_KEY: key["x-api-key"] ?? "", ASSAY_BASE_URL: service.url };
  const { code, stdout, stderr } = await runProgram(NODE, [join(folder, "try.ts")], env);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^ann gets (control|friendly)$/m);
  // The exposure that assign recorded, and the outcome.
  expect(await metric(service, "assay_events_accepted_total")).toBe(before + 2);
});

test.skipIf(!hasTools("the README's lines in Python", ["python3"]))(
  "the README's lines in Python give the user the same variant, and deliver the outcome",
  async () => {
    const file = join(temporaryFolder(), "try.py");
    writeFileSync(file, codeUnder("In Python and Java", "python"));
    const { key } = await openAccess(service);
    const before = await metric(service, "assay_events_accepted_total");
    const env = {
      ASSAY_API_KEY: key["x-api-key"] ?? "",
      ASSAY_BASE_URL: service.url,
      PYTHONPATH: join(ROOT, "clients/python/src"),
    };
    const { code, stdout, stderr } = await runProgram("python3", [file], env);
    expect([code, stderr]).toEqual([0, ""]);
    const request = { headers: key, body: { experiment_id: "greeting", user_id: "ann" } };
    const { variant } = await expectOk(service.send<{ variant: string }>("POST", "/v1/assign", request));
    expect(stdout).toBe(`ann gets ${variant}\n`);
    expect(await metric(service, "assay_events_accepted_total")).toBe(before + 2);
  },
);
