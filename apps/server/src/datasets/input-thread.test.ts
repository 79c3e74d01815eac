import { Worker } from "node:worker_threads";
import { DEFAULT_MASKING_RULES } from "@assay/domain";
import { afterEach, expect, test, vi } from "vitest";
import { type InputThread, startInputThread } from "./input-thread.ts";

const threads: InputThread[] = [];
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});
const start = (...args: Parameters<typeof startInputThread>) => {
  const thread = startInputThread(...args);
  threads.push(thread);
  return thread;
};

const NEVER = new AbortController().signal;
const fileOf = (text: string, rules = DEFAULT_MASKING_RULES) =>
  ({ kind: "file", bytes: Buffer.from(text), format: null, rules }) as const;
const rowOf = (input: string) => JSON.stringify({ input });

test("reads one task after another", async () => {
  const thread = start(NEVER);
  expect(await thread.prepare(fileOf(rowOf("a@b.de")))).toMatchObject({
    format: "jsonl",
    masked: { email: 1 },
  });
  await expect(thread.prepare(fileOf("x"))).rejects.toMatchObject({ kind: "invalid-body" });
  const call = { id: "e", prompt: "user: Hi", reference: null, userId: "u", occurredAt: 1, probability: 0.5 };
  const calls = { kind: "calls", calls: [call], variantPrompts: [], rules: DEFAULT_MASKING_RULES } as const;
  const { prompt: _, ...item } = call;
  expect(await thread.prepare(calls)).toEqual({
    items: [{ ...item, messages: [{ role: "user", text: "Hi" }] }],
    masked: {},
    format: null,
  });
});

test("a file that comes while the idle thread ends gets another thread", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const first = startInputThread(NEVER);
    await first.prepare(fileOf(rowOf("a")));
    await first.close();
    vi.runAllTimers();
    expect(await start(NEVER).prepare(fileOf(rowOf("a")))).toMatchObject({ format: "jsonl" });
  } finally {
    vi.useRealTimers();
  }
});

test("ends at the deadline, whatever an expression makes of the inputs", async () => {
  // Each match looks at the whole rest of the text for a b, and then takes one character.
  const rules = { builtIn: [], own: [{ name: "slow", pattern: "a[^b]*b|a" }] };
  const rows = Array.from({ length: 50 }, () => rowOf("a".repeat(100_000))).join("\n");
  const thread = start(NEVER, 2_000);
  await expect(thread.prepare(fileOf(rows, rules))).rejects.toMatchObject({
    kind: "invalid-body",
    message: expect.stringMatching(/takes too long: send fewer/),
  });
});

test("ends when nobody waits any more", async () => {
  const gone = new AbortController();
  const thread = start(gone.signal);
  const asked = thread.prepare(fileOf(rowOf("a")));
  gone.abort(new Error("gone"));
  await expect(asked).rejects.toThrow("gone");
  await expect(thread.prepare(fileOf(rowOf("a")))).rejects.toThrow("gone");
});

test("says so when a task fails by a fault of ours", async () => {
  const thread = start(NEVER);
  const broken = { kind: "calls", calls: null } as never;
  await expect(thread.prepare(broken)).rejects.toThrow(TypeError);
  await expect(thread.prepare(fileOf(rowOf("a")))).rejects.toThrow(TypeError);
});

test("is kept for the next file, unless it failed, and knows nothing of the one before", async () => {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  const masked = async (rules = DEFAULT_MASKING_RULES) => {
    const thread = startInputThread(NEVER);
    const answer = await thread.prepare(fileOf(rowOf("a@b.de"), rules)).catch(() => null);
    await thread.close();
    return answer?.masked;
  };
  expect(await masked({ builtIn: [], own: [{ name: "letters", pattern: "a" }] })).toEqual({ letters: 1 });
  expect(await masked()).toEqual({ email: 1 });
  expect(await masked({ builtIn: null, own: [] } as never)).toBeUndefined();
  expect(await masked()).toEqual({ email: 1 });
  const [first, second, third, fourth] = posted.mock.contexts;
  expect([second, third]).toEqual([first, first]);
  expect(fourth).not.toBe(first);
});
