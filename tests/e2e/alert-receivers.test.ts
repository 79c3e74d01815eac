import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";
import { findPythons } from "../../scripts/find-pythons.ts";
import { installVenv } from "../../scripts/python-venv.ts";
import { isNight } from "../in-night.ts";
import { freePorts } from "../servers/free-ports.ts";
import { cleanUp } from "./support/clean-up.ts";
import { NODE, ROOT, startProgram } from "./support/program.ts";
import { until } from "./support/until.ts";

const PAGE = readFileSync(join(ROOT, "docs/alerts.md"), "utf8");
const REQUIREMENTS = join(ROOT, "tests/e2e/support/alert-receiver-requirements.txt");
const python = findPythons().at(-1);
if (python === undefined) console.warn("SKIPPED: the receiver in Python needs CPython with venv.");

const PATH = "/v1/alert-channels";
let folder: string;
let api: TestService;
beforeAll(async () => {
  // Below the repository, so that Node finds the packages.
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  folder = mkdtempSync(join(ROOT, ".cache/alert-receivers-"));
  api = await openTestService({ alerts: { allowsPrivate: true, smtp: null } });
});
afterAll(async () => {
  await cleanUp();
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the page's receiver in a language, has a test message sent to it, and one that is signed with another secret. */
async function expectVerified(language: string, file: string, program: string): Promise<void> {
  const script = new RegExp(`\`\`\`${language}\n([^]+?)\`\`\``).exec(PAGE)?.[1] ?? "";
  writeFileSync(join(folder, file), script);
  const [port] = await freePorts(1);
  const body = { name: language, kind: "webhook", url: `http://127.0.0.1:${port}/` };
  const made = await api.call<{ id: string; secret: string }>("POST", PATH, { body });
  const env = { PORT: String(port), ALERT_SECRET: made.body.secret };
  const receiver = startProgram(program, [join(folder, file)], env);
  const other = await api.call<{ id: string }>("POST", PATH, { body });
  const send = async (id: string) =>
    (await api.call<{ id: string; status: string; code: number | null }>("POST", `${PATH}/${id}/test`)).body;
  await until("the receiver listens", () => fetch(body.url).then(Boolean, () => false));
  const taken = await send(made.body.id);
  expect([taken.status, taken.code]).toEqual(["delivered", 204]);
  await until("the receiver prints it", () => receiver.stdout().includes(taken.id));
  expect(receiver.stdout()).toMatch(new RegExp(`${taken.id} test .*channel.*${language}`));
  expect((await send(other.body.id)).code).toBe(401);
}

test("the page's receiver in Node verifies what the service sends", () =>
  expectVerified("js", "receiver.mjs", NODE));

// Installing it takes seconds, and the rule is the same.
test.runIf(isNight() && python !== undefined)(
  "the page's receiver in Python verifies what the service sends",
  async () => {
    const venv = join(ROOT, `.cache/alert-receiver-${python?.version}`);
    const programs = await installVenv({
      python: python?.path ?? "",
      requirements: REQUIREMENTS,
      folder: venv,
    });
    await expectVerified("python", "receiver.py", join(programs, "python"));
  },
);
