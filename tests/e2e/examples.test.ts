import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assignVariant, compileBuckets, type WireBuckets } from "@assay/bucketing";
import { afterAll, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import { hasTools } from "./support/has-tools.ts";
import { ROOT, runProgram } from "./support/program.ts";
import { expectOk, ownerSession, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

interface ConfigExperiment {
  readonly id: string;
  readonly salt: string;
  readonly status: string;
  readonly bucket_count: number;
  readonly buckets: WireBuckets;
  readonly variants: readonly { readonly key: string; readonly enabled: boolean }[];
}
interface Results {
  readonly results: Readonly<
    Record<
      string,
      { readonly control_value: number; readonly treatment_value: number; readonly n_per_arm: object }
    >
  >;
}
interface DemoData {
  readonly variants: readonly string[];
  readonly items: readonly (readonly (readonly number[])[])[];
}

const CONTROL = "base";
/** The columns of the data. */
const METRICS = ["answer_characters", "answer_tokens"];
const MAVEN_MS = 300_000;

const data = JSON.parse(
  readFileSync(join(ROOT, "apps/server/src/demo/prompt-variants.json"), "utf8"),
) as DemoData;
const blocks = [
  ...readFileSync(join(ROOT, "examples/README.md"), "utf8").matchAll(/```sh\n([\s\S]*?)```/g),
].map(([, lines = ""]) => lines);
const [setUp = "", python = "", java = "", analyze = ""] = blocks;

afterAll(cleanUp);

/** Runs the lines of the README word for word on a new service: only the address differs. */
async function runExample(lines: string) {
  const service = await startService(temporaryFolder());
  const script = [setUp, lines, analyze].join("\n").replace("http://127.0.0.1:8787", service.url);
  const env = { ASSAY_DATA_DIR: service.dataDir, ASSAY_PORT: service.port };
  return { service, ...(await runProgram("bash", ["-ec", script], env)) };
}

/** Computes what each arm's users must have made of each metric: `<metric>::<arm>`. */
async function expectedMeans(service: RunningService): Promise<ReadonlyMap<string, number>> {
  const headers = await ownerSession(service);
  const { key } = await expectOk(
    service.send<{ key: string }>("GET", "/v1/keys/publishable/reveal", { headers }),
  );
  const { experiments } = await expectOk(
    service.send<{ experiments: ConfigExperiment[] }>("GET", "/v1/config", { headers: { "x-api-key": key } }),
  );
  const { bucket_count: bucketCount, buckets, ...wire } = experiments[0]!;
  const experiment = { ...wire, bucketCount, buckets: compileBuckets(buckets) };
  const values = new Map<string, number[]>();
  for (const [index, figures] of data.items.entries()) {
    const arm = assignVariant(experiment, `user-${String(index).padStart(3, "0")}`)!;
    for (const [column, value] of figures[data.variants.indexOf(arm)]!.slice(0, METRICS.length).entries()) {
      const name = `${METRICS[column]}::${arm}`;
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return new Map(
    [...values].map(([name, own]) => [name, own.reduce((sum, value) => sum + value, 0) / own.length]),
  );
}

/** The example's results must be those of the figures that it replays, user by user. */
async function expectResults(service: RunningService): Promise<void> {
  const headers = await ownerSession(service);
  const [{ id }] = (await expectOk(service.send("GET", "/v1/experiments", { headers }))) as [{ id: string }];
  const { results } = await expectOk(
    service.send<Results>("POST", `/v1/experiments/${id}/analyze`, { headers }),
  );
  const means = await expectedMeans(service);
  for (const metric of METRICS) {
    for (const arm of ["concise", "verbose"]) {
      const { control_value, treatment_value } = results[`${metric}::${arm}`]!;
      expect(control_value).toBeCloseTo(means.get(`${metric}::${CONTROL}`)!, 6);
      expect(treatment_value).toBeCloseTo(means.get(`${metric}::${arm}`)!, 6);
    }
  }
}

async function expectExample(lines: string): Promise<void> {
  const { service, code, stdout, stderr } = await runExample(lines);
  // npm and Maven may have warnings of their own.
  expect([code, stderr.includes("[assay]")]).toEqual([0, false]);
  expect(stdout).toContain("805 users served; everything delivered: yes.");
  expect(stdout).toMatch(/answer_tokens +base +\d+ +control/);
  await expectResults(service);
}

test.skipIf(!hasTools("the example in Python", ["python3", "curl"]))(
  "the example in Python runs the demo's experiment",
  () => expectExample(python),
);

test.skipIf(!hasTools("the example in Java", ["java", "mvn", "curl"]))(
  "the example in Java runs the demo's experiment",
  () => expectExample(java),
  MAVEN_MS,
);
