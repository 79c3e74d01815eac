import { judgeRequest } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DemoJudge, startDemoJudge } from "./demo-judge.ts";
import { recordingText } from "./demo-recordings.ts";
import data from "./support-tone.json" with { type: "json" };

let judge: DemoJudge;
beforeAll(async () => {
  judge = await startDemoJudge();
});
afterAll(() => judge.close());

async function ask(body: string) {
  const response = await fetch(`${judge.url}/chat/completions`, { method: "POST", body });
  const completion = (await response.json()) as { choices?: { message: { content: string } }[] };
  return { status: response.status, content: JSON.parse(completion.choices?.[0]?.message.content ?? "null") };
}

const requestFor = (answer: string) =>
  JSON.stringify(
    judgeRequest({ rubric: "Is it good?", scale: "0-1", sampleRate: 1 }, { input: "?", answer }),
  );

test.each([
  [
    "support-tone",
    data.questions[0]!.answers.concise,
    { score: 1, reason: expect.stringMatching(/^Complete/) },
  ],
  [
    "answer-style",
    recordingText(0, 0),
    { score: expect.any(Number), reason: expect.stringMatching(/^Recorded/) },
  ],
])("an answer of %s gets its score with a reason", async (_demo, answer, judged) => {
  expect(await ask(requestFor(answer))).toEqual({ status: 200, content: judged });
});

test.each([
  ["another answer", requestFor("another answer")],
  ["a body without messages", "{}"],
  ["no JSON", "…"],
])("%s has no score", async (_name, body) => {
  expect(await ask(body)).toEqual({ status: 400, content: null });
});
