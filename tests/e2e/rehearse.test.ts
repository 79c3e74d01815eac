import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isNight } from "../in-night.ts";
import { runsOnServers } from "../servers/fresh-engines.ts";
import { cleanUp } from "./support/clean-up.ts";
import { openAccess } from "./support/experiment.ts";
import { type Judge, startJudge } from "./support/judge.ts";
import { runCli } from "./support/program.ts";
import { startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const DOCUMENT = join(ROOT, "docs/rehearsals.md");

let judge: Judge;
beforeAll(async () => {
  judge = await startJudge(5);
});
afterAll(cleanUp);

/** Writes a rehearsal of two arms and 40 inputs that nobody can lose by, with what the model costs. */
function writeFiles(folder: string): string {
  const { ASSAY_JUDGE_MODEL: model } = judge.env;
  const inputs = Array.from({ length: 40 }, (_, i) => JSON.stringify({ input: `What is ${i} times 7?` }));
  writeFileSync(join(folder, "inputs.jsonl"), inputs.join("\n"));
  const path = join(folder, "rehearsal.yaml");
  writeFileSync(
    path,
    `
dataset: { file: inputs.jsonl, name: questions }
prices: [{ model: ${model}, input_usd_per_million: 1, output_usd_per_million: 1 }]
arms:
  - { name: production, model: ${model}, prompt: Answer. }
  - { name: this branch, model: ${model}, prompt: Answer briefly. }
judge: { rubric: It is right. }
margin: 1
budget_usd: 5
`,
  );
  return path;
}

describe.skipIf(runsOnServers)("without a service", () => {
  test("the command rehearses in a data folder, reports, and stops what it started", async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, "data");
    const [junit, markdown] = ["out.xml", "out.md"].map((name) => join(folder, name)) as [string, string];
    const args = [writeFiles(folder), "--data", dataDir, "--junit", junit, "--markdown", markdown];
    // The settings of a service elsewhere do not apply.
    const elsewhere = { ASSAY_PORT: "1", ASSAY_DATABASE_URL: "postgres://nobody@localhost:1/none" };
    const run = await runCli(["rehearse", ...args], { ...judge.env, ...elsewhere });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("40 of 40 inputs") });
    expect(readFileSync(junit, "utf8")).toContain('tests="1" failures="0"');
    expect(readFileSync(markdown, "utf8")).toContain("- **this branch: not-worse**.");
    expect(existsSync(dataDir)).toBe(true);
    // The folder is free again, and keeps what it learned.
    const again = await startService(dataDir, judge.env);
    const access = await openAccess(again);
    const { body } = await again.send<{ items: readonly object[] }>("GET", "/v1/rehearsals", {
      headers: access.session,
    });
    expect(body.items).toMatchObject([{ state: "done", inputs: 40 }]);
    const refused = await runCli(["rehearse", ...args], judge.env);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringMatching(/assay: .*data/)]);
    await again.stop();
  });
});

interface Step {
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The workflow files of the document, as they stand there. */
function workflows() {
  const blocks = [...readFileSync(DOCUMENT, "utf8").matchAll(/^```yaml\n(.*?)^```$/gms)].map(
    ([, text = ""]) => parse(text),
  );
  const github = blocks.find((block) => "jobs" in block) as {
    readonly jobs: { readonly rehearse: { readonly steps: readonly Step[] } };
  };
  const gitlab = blocks.find((block) => "rehearse" in block && !("jobs" in block)) as {
    readonly rehearse: {
      readonly script: readonly string[];
      readonly artifacts: { readonly paths: readonly string[]; readonly reports: { readonly junit: string } };
    };
  };
  return { steps: github.jobs.rehearse.steps, job: gitlab.rehearse };
}

describe.runIf(isNight())("the documented workflows", () => {
  let values: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const service = await startService(temporaryFolder(), judge.env);
    const { session } = await openAccess(service);
    const { hostname, port } = new URL(service.url);
    values = {
      ...{ "vars.ASSAY_HOST": hostname, "vars.ASSAY_PORT": port, "github.event.number": "7" },
      ...{ "secrets.ASSAY_TOKEN": (session.authorization ?? "").replace("Bearer ", ""), "github.token": "t" },
    };
  });

  /** A checkout with Assay beside it, and a `gh` that writes down its arguments. */
  function checkout(): string {
    const folder = temporaryFolder();
    writeFiles(folder);
    symlinkSync(ROOT, join(folder, "assay"));
    mkdirSync(join(folder, "bin"));
    writeFileSync(
      join(folder, "bin/gh"),
      '#!/bin/sh\nfor last; do :; done\necho "$@" > gh.txt\ncat "$last" >> gh.txt\n',
    );
    chmodSync(join(folder, "bin/gh"), 0o755);
    return folder;
  }

  const filled = (text: string) =>
    text.replaceAll(/\$\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${whole} has no value here.`);
      return value;
    });

  function shell(command: string, folder: string, env: Readonly<Record<string, string>>) {
    const PATH = `${join(folder, "bin")}:${process.env.PATH}`;
    return spawnSync("bash", ["-ec", command], {
      ...{ cwd: folder, encoding: "utf8" as const },
      env: { HOME: process.env.HOME, PATH, ...env },
    });
  }

  test("of GitHub Actions rehearses and comments", () => {
    const folder = checkout();
    for (const { run, env = {} } of workflows().steps.filter((step) => step.run !== undefined)) {
      const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
      const { status, stderr, stdout } = shell(filled(run ?? ""), folder, given);
      expect([status, stderr, stdout]).toEqual([0, expect.anything(), expect.anything()]);
    }
    expect(readFileSync(join(folder, "rehearsal.xml"), "utf8")).toContain("<testsuite");
    const comment = readFileSync(join(folder, "gh.txt"), "utf8");
    expect(comment).toMatch(/^pr comment 7 --body-file rehearsal\.md\n### Rehearsal/);
  });

  test("of GitLab rehearses and leaves its artifacts", () => {
    const folder = checkout();
    const { script, artifacts } = workflows().job;
    const env = {
      ...{ ASSAY_HOST: values["vars.ASSAY_HOST"] ?? "", ASSAY_PORT: values["vars.ASSAY_PORT"] ?? "" },
      ASSAY_TOKEN: values["secrets.ASSAY_TOKEN"] ?? "",
    };
    for (const command of script) expect(shell(command, folder, env)).toMatchObject({ status: 0 });
    for (const path of [...artifacts.paths, artifacts.reports.junit])
      expect(readFileSync(join(folder, path), "utf8")).toMatch(/[Rr]ehearsal/);
  });
});
