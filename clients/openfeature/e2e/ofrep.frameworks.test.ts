import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { millionIds } from "../../../packages/bucketing/src/test-support/million-ids.ts";
import { findPythons } from "../../../scripts/find-pythons.ts";
import { installVenv } from "../../../scripts/python-venv.ts";
import { inNight } from "../../../tests/in-night.ts";
import { type FlagService, openFlagService, PROMPT, timeoutOf } from "../test-support/ofrep/service.ts";

const PROGRAMS = resolve(import.meta.dirname, "../test-support/ofrep");
const CACHE = resolve(import.meta.dirname, "../../../.cache");
const USERS = inNight(100, 2_000);

/** Value, variant, reason and error code of an evaluation. */
type Evaluated = readonly [string, string | null, string, string | null];

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
}

async function run(
  { command, args, cwd = PROGRAMS }: Program,
  env: object = {},
  input = "",
): Promise<string> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
  child.stdin.end(input);
  const [output, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${errors}${output}`);
  return output;
}

const languages = [
  {
    name: "Python",
    withoutUser: "TARGETING_KEY_MISSING",
    async prepare(): Promise<Program> {
      const python = findPythons().at(-1);
      if (python === undefined) throw new Error("This test needs CPython.");
      const requirements = join(PROGRAMS, "requirements.txt");
      const bin = await installVenv({
        python: python.path,
        requirements,
        folder: join(CACHE, "python-ofrep"),
      });
      return { command: join(bin, "python"), args: ["evaluate.py"] };
    },
  },
  {
    name: "Java",
    // Its name for every 400.
    withoutUser: "INVALID_CONTEXT",
    async prepare(): Promise<Program> {
      const folder = join(CACHE, "java-ofrep");
      rmSync(folder, { recursive: true, force: true });
      const goal = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies";
      await run({ command: "mvn", args: ["-B", "-q", "-ntp", goal, `-DoutputDirectory=${folder}`] });
      return { command: "java", args: ["-cp", `${folder}/*`, "Evaluate.java"] };
    },
  },
  {
    name: "Go",
    withoutUser: "TARGETING_KEY_MISSING",
    async prepare(): Promise<Program> {
      const program = join(CACHE, "go-ofrep");
      await run({ command: "go", args: ["build", "-o", program, "."], cwd: join(PROGRAMS, "go") });
      return { command: program, args: [] };
    },
  },
];

describe("OpenFeature's provider for remote evaluation", () => {
  let flags: FlagService;
  beforeAll(async () => {
    flags = await openFlagService();
  });
  afterAll(() => flags.stop());

  describe.each(languages)("in $name", ({ prepare, withoutUser }) => {
    let program: Program;
    beforeAll(async () => {
      program = await prepare();
    });

    async function evaluate(flag: string, users: readonly string[]): Promise<readonly Evaluated[]> {
      const { api, key } = flags;
      const env = { BASE_URL: api.service.url, API_KEY: key };
      const asked = { ...program, args: [...program.args, flag] };
      return JSON.parse(await run(asked, env, JSON.stringify(users))) as readonly Evaluated[];
    }

    test(
      `gives ${USERS} users the variant that our client gives them`,
      async () => {
        const users = millionIds(USERS);
        const evaluated = await evaluate("shared", users);
        const given = evaluated.map(([value, variant, reason]) => [value, variant, reason]);
        const expected = users.map((user) => flags.variantOf(user));
        for (const [index, variant] of expected.entries()) {
          if (variant === null) expect([index, given[index]?.[0]]).toEqual([index, "none"]);
          else expect([index, given[index]]).toEqual([index, [variant, variant, "SPLIT"]]);
        }
        expect(new Set(expected)).toEqual(new Set(["control", "brief", "kind", null]));
      },
      timeoutOf(USERS),
    );

    test("reads prompts, and the protocol's errors", async () => {
      const user = millionIds(100).find((id) => flags.variantOf(id) !== null) ?? "";
      expect((await evaluate("shared.prompt", [user]))[0]?.[0]).toBe(PROMPT);
      const [unknown] = await evaluate("unknown", [user]);
      expect([unknown?.[0], unknown?.[3]]).toEqual(["none", "FLAG_NOT_FOUND"]);
      const [nobody] = await evaluate("shared", [""]);
      expect([nobody?.[0], nobody?.[3]]).toEqual(["none", withoutUser]);
      const [mismatch] = await evaluate("shared.variables", [user]);
      expect([mismatch?.[0], mismatch?.[3]]).toEqual(["none", "TYPE_MISMATCH"]);
    });
  });
});
