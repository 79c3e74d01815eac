import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import { expectOneLine } from "./support/expect-one-line.ts";
import { type Access, createExperiment, makeEvent, openAccess } from "./support/experiment.ts";
import { type Environment, runCli } from "./support/program.ts";
import { expectOk, metric, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

afterAll(cleanUp);

let service: RunningService;
let access: Access;
let experimentId: string;
let folder: string;
beforeAll(async () => {
  service = await startService(temporaryFolder());
  folder = temporaryFolder();
});

const runImport = (args: readonly string[], env: Environment = {}) =>
  runCli(["import", ...args], { ASSAY_DATA_DIR: service.dataDir, ASSAY_PORT: service.port, ...env });

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const HEAD = "event_id,type,experiment_id,user_id,timestamp";
/** An exposure of now: it gets the variant that assign gives. */
const row = (id: string) => `${id},exposure,imported,${id},${new Date().toISOString()}`;

test("without a secret key, the import says how to create one", async () => {
  const path = fileOf("early.csv", `${HEAD}\n${row("a")}\n`);
  expectOneLine(await runImport([path]), /secret key and the org has none.*POST \/v1\/keys/);
  access = await openAccess(service);
  experimentId = await createExperiment(service, access, "imported");
});

test("a CSV file is imported with the org's own secret key; every error names its line", async () => {
  const rows = Array.from({ length: 3_000 }, (_, index) => row(`csv-${index}`));
  const path = fileOf(
    "rows.csv",
    `${HEAD},extra\n${rows.join(",\n")},\nshort,row\n${row("csv-x").replace(",2", ",1")},\n`,
  );
  const before = await metric(service, "assay_events_accepted_total");
  const { code, stdout, stderr } = await runImport([path]);
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toContain(`${path}: 3,002 rows, 3,000 accepted, 2 errors.`);
  expect(stdout).toContain("Ignored columns (not fields of an event): extra.");
  expect(stdout).toContain("line 3002: The row has 2 cells; the header has 6.");
  expect(stdout).toContain("line 3003: csv-x: timestamp");
  expect(await metric(service, "assay_events_accepted_total")).toBe(before + 3_000);
});

test("without errors, the exit code is 0; a dry run stores nothing", async () => {
  const path = fileOf("clean.csv", `${HEAD}\n${row("clean")}\n`);
  const before = await metric(service, "assay_events_accepted_total");
  const dry = await runImport([path, "--dry-run"]);
  expect([dry.code, dry.stdout]).toEqual([
    0,
    expect.stringContaining("1 rows, 1 would be accepted, 0 errors."),
  ]);
  expect(await metric(service, "assay_events_accepted_total")).toBe(before);
  const { code } = await runImport([path], { ASSAY_API_KEY: access.key["x-api-key"] ?? "" });
  expect([code, await metric(service, "assay_events_accepted_total")]).toEqual([0, before + 1]);
});

test.each([
  { name: "array.json", args: [], pack: (events: readonly object[]) => JSON.stringify({ events }) },
  {
    name: "lines.jsonl",
    args: [],
    pack: (events: readonly object[]) => events.map((event) => JSON.stringify(event)).join("\n"),
  },
  { name: "array.json.gz", args: [], pack: (events: readonly object[]) => gzipSync(JSON.stringify(events)) },
  {
    name: "export.txt",
    args: ["--format", "json"],
    pack: (events: readonly object[]) => JSON.stringify(events),
  },
])("$name is read", async ({ name, args, pack }) => {
  const events = [1, 2].map((user) =>
    makeEvent(experimentId, { type: "exposure", user_id: `u${user}`, variant: "control" }),
  );
  const { code, stdout } = await runImport([fileOf(name, pack(events)), ...args]);
  expect(stdout).toContain("2 rows, 2 accepted, 0 errors.");
  expect(code).toBe(0);
});

test("only the first 20 errors are printed", async () => {
  const { stdout } = await runImport([fileOf("bad.csv", `${HEAD}\n${"x,y\n".repeat(50)}`)]);
  expect(stdout.match(/^line \d+:/gm)).toHaveLength(20);
  expect(stdout).toContain("… and 30 more.");
});

test("a file that cannot be sent is reported in one line", async () => {
  const empty = fileOf("empty.csv", "");
  const huge = fileOf("huge.csv", "");
  truncateSync(huge, 101 * 1024 ** 2);
  const odd = fileOf("odd.xml", "<a/>");
  const headless = fileOf("headless.csv", `${row("a")}\n`);
  const good = fileOf("good.csv", `${HEAD}\n${row("good")}\n`);
  const cases = [
    { args: [join(folder, "none.csv")], says: /none\.csv does not exist\./ },
    { args: [folder], says: /--format/ },
    { args: [folder, "--format", "csv"], says: /is not a file\./ },
    { args: [empty], says: /is empty\./ },
    { args: [huge], says: /has 101 MiB.*split/ },
    { args: [odd], says: /--format csv, json or ndjson/ },
    { args: [odd, "--format", "xml"], says: /must be csv, json or ndjson/ },
    { args: [headless], says: /header lacks/ },
    { args: [], says: /Name one file/ },
    { args: [odd, "--nope"], says: /nope/ },
  ];
  for (const { args, says } of cases) expectOneLine(await runImport(args), says);
  expectOneLine(await runImport([good], { ASSAY_API_KEY: "svc_sk_wrong" }), /401/);
  expectOneLine(
    await runImport([good], { ASSAY_API_KEY: "svc_sk_wrong", ASSAY_PORT: "1" }),
    /Nothing answers at/,
  );
});

test("imported events are stored once, however often they are sent", async () => {
  const path = fileOf("again.csv", `${HEAD}\n${row("again-1")}\n${row("again-2")}\n`);
  const traffic = async () => {
    await expect.poll(() => metric(service, "assay_queue_batches")).toBe(0);
    const { days } = await expectOk(
      service.send<{ days: { exposures: Record<string, number> }[] }>(
        "GET",
        `/v1/experiments/${experimentId}/traffic`,
        {
          headers: access.session,
        },
      ),
    );
    return days.flatMap(({ exposures }) => Object.values(exposures)).reduce((sum, one) => sum + one, 0);
  };
  const before = await traffic();
  for (let round = 0; round < 2; round++) expect((await runImport([path])).code).toBe(0);
  expect(await traffic()).toBe(before + 2);
});
