import { expect, test, vi } from "vitest";
import { createTestClient, type FixedVariant } from "./testing.ts";

test("everybody gets the named variants with their content, and no others, without a warning", () => {
  const warn = vi.spyOn(console, "warn");
  const client = createTestClient({
    greeting: { variant: "short", prompt: "Be brief.", variables: { temperature: 0.2 } },
    tone: "warm",
    off: null,
  });
  for (const user of ["ann", "bob"]) {
    expect(client.assign("tone", user)).toBe("warm");
    expect(client.assign("off", user)).toBeNull();
    expect(client.assign("unknown", user)).toBeNull();
  }
  expect(warn).not.toHaveBeenCalled();
  expect(client.getPrompt("greeting", "ann", "Answer.")).toMatchObject({
    prompt: "Be brief.",
    fallback: false,
  });
  expect(client.getPrompt("tone", "ann", "Answer.")).toMatchObject({ prompt: "Answer.", fallback: true });
  expect(client.getVariables("greeting", "ann", { temperature: 1 })).toEqual({ temperature: 0.2 });
});

test("keeps the events in a list, as they would be sent, without delivering them", async () => {
  const client = createTestClient({ greeting: "short" });
  expect(client.events).toEqual([]);
  client.assign("greeting", "ann");
  client.assign("greeting", "ann");
  client.track("business_event", {
    ...{ experiment_id: "greeting", user_id: "ann", business_metric: "thumbs_up", value: 1 },
  });
  await client.withUser("ann", () => client.interceptModelCall("greeting", "ann", async () => "Hi."));
  expect(client.events).toMatchObject([
    { type: "exposure", experiment_id: "greeting", user_id: "ann", variant: "short" },
    { type: "business_event", business_metric: "thumbs_up", value: 1 },
    { type: "exposure", user_id: "ann", variant: "short" },
    { type: "model_call", user_id: "ann", variant: "short", error: false },
  ]);
  expect(await client.flush()).toBe(true);
  expect(await client.close()).toBe(true);
  client.track("business_event", {
    experiment_id: "greeting",
    user_id: "ann",
    business_metric: "late",
    value: 1,
  });
  expect(client.events).toHaveLength(4);
});

test("an event that cannot be sent is not in the list either", () => {
  const client = createTestClient({ greeting: "short" });
  client.track("business_event", { experiment_id: "greeting", user_id: "ann", value: 1n });
  expect(client.events).toEqual([]);
});

test.each([5, undefined, {}, { variant: 5 }, { variant: "short", promt: "Be brief." }])(
  "refuses %j",
  (fixed) => {
    expect(() => createTestClient({ greeting: fixed as unknown as FixedVariant })).toThrow(
      new TypeError("greeting: a key, null, or an object with variant, prompt and variables"),
    );
  },
);
