import { afterEach, beforeEach, expect, test } from "vitest";
import type { JudgeSettings } from "../settings/judge-settings.ts";
import { type JudgeServer, openJudgeServer } from "../test-support/judge-server.ts";
import type { JudgeStep } from "../test-support/judge-step.ts";
import { probeJudge } from "./probe-judge.ts";

let server: JudgeServer;
beforeEach(async () => {
  server = await openJudgeServer();
});
afterEach(() => server.close());

async function faultOf(step: JudgeStep | null, wrong: Partial<JudgeSettings> = {}): Promise<string> {
  server.script(step);
  const error = await probeJudge({ ...server.settings, ...wrong }).catch((fault: Error) => fault);
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message;
}

test("an installation without a judge, or with one that gives a score, is in order", async () => {
  expect(await probeJudge(null)).toMatch(/^none/);
  expect(await probeJudge(server.settings)).toBe("judge-1 at ASSAY_JUDGE_URL gives scores");
});

test.each<{ wrong: Partial<JudgeSettings>; names: string }>([
  { wrong: { apiKey: "sk-a_wrong_one" }, names: "ASSAY_JUDGE_API_KEY" },
  { wrong: { apiKey: null }, names: "ASSAY_JUDGE_API_KEY" },
  { wrong: { model: "judge-0" }, names: "ASSAY_JUDGE_MODEL" },
  { wrong: { url: "http://127.0.0.1:1" }, names: "ASSAY_JUDGE_URL" },
])("a fault names the setting to fix: $names", async ({ wrong, names }) => {
  const message = await faultOf(null, wrong);
  expect(message).toContain(names);
  expect(message).not.toContain("sk-a");
});

test("an address without its /v1 is found out", async () => {
  expect(await faultOf(null, { url: server.settings.url.replace("/v1", "") })).toContain("ASSAY_JUDGE_URL");
});

test.each<{ step: JudgeStep; says: RegExp }>([
  { step: { line: "cut-before" }, says: /ASSAY_JUDGE_URL/ },
  { step: { status: 429 }, says: /429.* wait until/ },
  { step: { status: 503 }, says: /503.* wait until/ },
  { step: { status: 422, error: { message: "No chat." } }, says: /No chat.*ASSAY_JUDGE_MODEL/ },
  { step: { content: "Well." }, says: /ASSAY_JUDGE_MODEL/ },
  { step: { refusal: "No." }, says: /^No\. ASSAY_JUDGE_MODEL/ },
])("a judge that gives no score says why: $step", async ({ step, says }) => {
  expect(await faultOf(step)).toMatch(says);
});
