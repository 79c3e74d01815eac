import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cleanUp } from "./support/clean-up.ts";
import { ROOT, runProgram } from "./support/program.ts";
import { startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

afterAll(cleanUp);

/** The shell lines under a heading of the README, word for word. */
function shellUnder(heading: string): string {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const section = readme.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const shell = /```sh\n([\s\S]*?)```/.exec(section)?.[1];
  if (shell === undefined) throw new Error(`The README has no shell lines under "${heading}".`);
  return shell;
}

test("the README's first experiment by curl ends in a result", async () => {
  const service = await startService(temporaryFolder());
  // Only the address differs: the tests leave port 8787 to whoever uses it.
  const script = shellUnder("A first experiment with curl").replace("http://127.0.0.1:8787", service.url);
  const env = { ASSAY_DATA_DIR: service.dataDir, ASSAY_PORT: service.port };
  const { code, stdout, stderr } = await runProgram("bash", ["-c", script], env);
  expect([code, stderr.includes("assay:")]).toEqual([0, false]);
  expect(stdout).toContain('"accepted":133,');
  expect(stdout).toMatch(/thumbs_up +control +0\.\d+ +control/);
  expect(stdout).toMatch(/ friendly +0\.\d+ .*(no difference found|significantly)/);
});
