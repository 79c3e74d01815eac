import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ASK, type Observed, startObserved } from "../test-support/model-call-fixture.ts";
import type { ClientOptions } from "./client-options.ts";

let observed: Observed;
beforeEach(async () => {
  observed = await startObserved();
});
afterEach(() => observed.stop());

describe("mask", () => {
  const textsWith = async (mask: NonNullable<ClientOptions["mask"]>) => {
    await observed.stop();
    observed = await startObserved({ mask });
    await observed.client
      .wrap(observed.makeOpenai(), "greeting", { user: "ada" })
      .chat.completions.create(ASK);
    const [call] = await observed.calls();
    return { prompt: call?.prompt, response: call?.response };
  };

  test("rewrites prompt and response", async () => {
    const texts = await textsWith((text, part) => `${part}: ${text.replace("hello", "***")}`);
    expect(texts).toEqual({ prompt: "prompt: Say ***", response: "response: Hello you" });
  });

  test("withholds with null", async () => {
    expect(await textsWith((text, part) => (part === "prompt" ? null : text))).toEqual({
      prompt: undefined,
      response: "Hello you",
    });
  });

  test.each([
    {
      name: "throws",
      mask: () => {
        throw new Error("mine");
      },
    },
    { name: "gives no text", mask: () => ({ secret: 1 }) as never },
  ])("that $name withholds everything", async ({ mask }) => {
    expect(await textsWith(mask)).toEqual({ prompt: undefined, response: undefined });
  });
});
