import { afterEach, expect, test } from "vitest";
import { newTraceId, spanIdOf, toProtobuf, tracesOf } from "../test-support/otlp-bodies.ts";
import { readFacts } from "./accept-traces.ts";
import { createDecoder } from "./decode-thread.ts";
import { decodeBody } from "./read-request.ts";

const decoder = createDecoder();
afterEach(() => decoder.close());

const call = {
  "user.id": "ann",
  "gen_ai.operation.name": "chat",
  "gen_ai.system": "openai",
  "gen_ai.prompt": "Why? ".repeat(100),
  "gen_ai.usage.input_tokens": 5,
};
const request = tracesOf([
  ...Array.from({ length: 2_000 }, () => ({ traceId: newTraceId(), spanId: spanIdOf(1), attributes: call })),
  // One trace whose parts come in several portions, and one span without valid ids.
  ...Array.from({ length: 2_000 }, (_, index) => ({
    traceId: "ab".repeat(16),
    spanId: spanIdOf(index + 1),
    attributes: call,
  })),
  { traceId: "00", spanId: spanIdOf(1) },
]);
const BODIES = {
  json: Buffer.from(JSON.stringify(request)),
  protobuf: toProtobuf("Traces", request),
} as const;

/** The longest time of the thread's CPU between two turns of the event loop. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const cpu = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [longest, last, isOver] = [0, cpu(), false];
  const look = () => {
    const now = cpu();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  look();
  isOver = true;
  return longest;
}

test.each(["json", "protobuf"] as const)("a large body says the same in the thread: %s", async (encoding) => {
  const body = BODIES[encoding];
  expect(body.length).toBeGreaterThan(1_000_000);
  const batch = decodeBody(body, "traces", encoding);
  const expected = { traces: await readFacts(batch), malformed: 1 };
  const both = await Promise.all([1, 2].map(() => decoder.decode(body, "traces", encoding)));
  expect(both).toEqual([expected, expected]);
  expect(expected.traces.get("ab".repeat(16))?.length).toBeGreaterThan(2_000);
});

test("others have their turns while a large body is read", async () => {
  const read = () => decoder.decode(BODIES.json, "traces", "json");
  await read();
  // Collections of garbage count too, so each takes the best of five.
  const best = async (work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let time = 0; time < 5; time++) times.push(await longestBlock(work));
    return Math.min(...times);
  };
  const here = await best(async () => decodeBody(BODIES.json, "traces", "json"));
  const inThread = await best(read);
  expect(inThread).toBeLessThan(here / 2);
});

test("a large body that cannot be read is refused, and the next one is read", async () => {
  const broken = BODIES.json.subarray(0, -5);
  await expect(decoder.decode(broken, "traces", "json")).rejects.toMatchObject({
    kind: "invalid-body",
    message: expect.stringContaining("not a valid OTLP traces request"),
  });
  const many = Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${"{},".repeat(150_000)}{}]}]}]}`);
  await expect(decoder.decode(many, "traces", "json")).rejects.toMatchObject({
    message: expect.stringContaining("100,000 values"),
  });
  expect((await decoder.decode(BODIES.protobuf, "traces", "protobuf")).malformed).toBe(1);
});

test("what is being read when the service stops fails", async () => {
  const reading = decoder.decode(BODIES.json, "traces", "json");
  const failed = expect(reading).rejects.toThrow("The service stops.");
  await decoder.close();
  await failed;
});
