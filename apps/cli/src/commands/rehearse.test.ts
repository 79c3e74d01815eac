import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { comparedData, preference, wanted } from "../../../server/src/test-support/judge-completion.ts";
import { type JudgedService, openJudgedService } from "../../../server/src/test-support/judged-service.ts";
import { itemsOf, priceModels, putDataset } from "../../../server/src/test-support/rehearsals.ts";
import { type Api, createApi } from "../api.ts";
import { exitCodeOf } from "../print-rehearsal.ts";
import { readRehearsalFile } from "../read-rehearsal-file.ts";
import { runRehearsal } from "./rehearse.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-rehearse-"));
let world: JudgedService;
let api: Api;
beforeAll(async () => {
  world = await openJudgedService({ judgeTimeoutMs: 20_000 });
  await priceModels(world.api, world.judge);
  api = createApi(world.api.service.url, await world.api.token());
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => void vi.spyOn(console, "log").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

function fileOf(text: string): string {
  const path = join(folder, "rehearsal.yaml");
  writeFileSync(path, text);
  return path;
}

const described = (datasetId: string) => `
dataset_id: ${datasetId}
arms:
  - name: control
    model: m-1
    prompt: Answer.
  - name: short
    model: m-2
    prompt_file: short.txt
    parameters: { temperature: 0 }
judge:
  rubric: Is it right?
margin: 0.2
budget_usd: 5
`;

test("a file's rehearsal runs to its end, and its verdict decides the exit code", async () => {
  writeFileSync(join(folder, "short.txt"), "Answer briefly.");
  const file = await readRehearsalFile(fileOf(described(await putDataset(world.api, itemsOf(60)))));
  expect(file).toMatchObject({ dataset: null, body: { arms: [{}, { prompt: "Answer briefly." }] } });
  const run = async (better: string) => {
    world.judge.always((request) => {
      if (wanted(request) === "answer") return { content: request.model };
      return { content: preference(comparedData(request).first === better ? "first" : "second") };
    });
    return runRehearsal(api, file, 20);
  };
  const worse = await run("m-1");
  expect(worse).toMatchObject({ state: "done", report: { verdicts: [{ verdict: "worse" }] } });
  expect(exitCodeOf(worse)).toBe(1);
  expect(exitCodeOf(await run("m-2"))).toBe(0);
  expect(vi.mocked(console.log).mock.calls.flat()).toContainEqual(expect.stringMatching(/of 60 inputs, \$/));
});

test("every fault of a refused file is named", async () => {
  const text = described(await putDataset(world.api, itemsOf(1))).replace("budget_usd", "budget");
  const file = await readRehearsalFile(fileOf(text));
  await expect(runRehearsal(api, file, 20)).rejects.toThrow(
    /\/budget_usd: is required\.\n\/budget: is not a known field\./,
  );
});

test("one that pauses ends with what to do", async () => {
  world.judge.always((request) => (request.model === "m-2" ? { status: 404 } : {}));
  const file = await readRehearsalFile(fileOf(described(await putDataset(world.api, itemsOf(2)))));
  await expect(runRehearsal(api, file, 20)).rejects.toThrow(/is paused\. The endpoint answers 404.*resume/);
});

test.each([
  { text: "arms: [", message: /is not YAML/ },
  { text: "- a", message: /must be a mapping/ },
  { text: "dataset: {name: x}", message: /needs a file/ },
  { text: "prices: {model: m}", message: /prices in .* must be a list/ },
  { text: "prices: [m]", message: /A price in .* must be a mapping/ },
  { text: "arms: [{prompt_file: absent.txt}]", message: /Cannot read .*absent\.txt/ },
])("$text is refused: $message", async ({ text, message }) => {
  await expect(readRehearsalFile(fileOf(text))).rejects.toThrow(message);
});

test("a file's prices apply from today, or from its day", async () => {
  const price = "input_usd_per_million: 1, output_usd_per_million: 2";
  const prices = `[{model: own, ${price}}, {model: older, effective_from: "2026-01-01", ${price}}]`;
  const file = await readRehearsalFile(fileOf(`prices: ${prices}\nmargin: 0.1`));
  await expect(runRehearsal(api, file, 20)).rejects.toThrow(/request body is not valid/i);
  const list = await api.call<{ models: readonly object[] }>("GET", "/v1/prices");
  const today = new Date().toISOString().slice(0, 10);
  expect(JSON.stringify(list)).toContain(`"model":"own","effective_from":"${today}"`);
  expect(JSON.stringify(list)).toContain('"model":"older","effective_from":"2026-01-01"');
});

test("what the file lacks is named", async () => {
  const file = await readRehearsalFile(fileOf("margin: 0.1"));
  await expect(runRehearsal(api, file, 20)).rejects.toThrow(/request body is not valid/i);
});
