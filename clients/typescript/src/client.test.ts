import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeClient } from "../test-support/client-fixture.ts";
import {
  ASK,
  CHAT,
  eventStream,
  HELLO,
  IDENTITY,
  type Observed,
  STREAM,
  startObserved,
  USAGE_CHUNK,
} from "../test-support/model-call-fixture.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

let observed: Observed;
beforeEach(async () => {
  observed = await startObserved();
});
afterEach(() => observed.stop());

describe("withUser", () => {
  test("keeps concurrent users apart, through awaits and streams", async () => {
    const { client, server } = observed;
    server.script(CHAT, eventStream([...HELLO, USAGE_CHUNK]));
    const openai = client.wrap(observed.makeOpenai(), "greeting");
    const ask = (user: string) =>
      client.withUser(user, async () => {
        await turn();
        const stream = await openai.chat.completions.create({ ...STREAM, user });
        await turn();
        for await (const _ of stream) await turn();
        return user;
      });
    const users = Array.from({ length: 20 }, (_, index) => `user-${index}`);
    expect(await Promise.all(users.map(ask))).toEqual(users);
    const sent = new Set((await observed.calls()).map(({ user_id }) => user_id));
    expect([...sent].sort()).toEqual([...users].sort());
  });

  test("applies when the call is made, not when its result is read", async () => {
    const { client } = observed;
    const openai = client.wrap(observed.makeOpenai(), "greeting");
    const promise = client.withUser("ada", () => ({ later: openai.chat.completions.create(ASK) }));
    await client.withUser("bob", () => promise.later);
    expect((await observed.events()).map(({ user_id }) => user_id)).toEqual(["ada", "ada"]);
  });

  test("returns and throws what the work does; the inner user applies inside", () => {
    const { client } = observed;
    expect(client.withUser("ada", () => client.withUser("bob", () => 7))).toBe(7);
    const mine = new Error("mine");
    expect(() =>
      client.withUser("ada", () => {
        throw mine;
      }),
    ).toThrow(mine);
  });
});

describe("wrap", () => {
  test("makes a call without a user, and warns once that it is not recorded", async () => {
    const openai = observed.client.wrap(observed.makeOpenai(), "greeting");
    await openai.chat.completions.create(ASK);
    expect((await openai.chat.completions.create(ASK)).id).toBe("c1");
    expect(await observed.events()).toEqual([]);
    expect(observed.lines).toEqual([expect.stringContaining("{user}")]);
  });

  test.each([
    { name: "unknown", changes: { name: "other" } },
    { name: "stopped", changes: { status: "stopped" } },
    { name: "not for this user", changes: { buckets: [[100, -1]] } },
  ])("makes calls in an experiment that is $name, unchanged and unrecorded", async ({ changes }) => {
    await observed.stop();
    observed = await startObserved({}, sampleConfig(1, changes));
    const { client, server } = observed;
    server.script(CHAT, eventStream(HELLO));
    const openai = client.wrap(observed.makeOpenai(), "greeting", { user: "ada" });
    expect(client.assign("greeting", "ada")).toBeNull();
    for await (const _ of await openai.chat.completions.create(STREAM));
    expect(JSON.parse(server.at(CHAT)[0]?.body ?? "")).not.toHaveProperty("stream_options");
    expect(await observed.events()).toEqual([]);
  });

  test("makes calls before the config is loaded, without recording them", async () => {
    const { server } = observed;
    server.script("/v1/config", "hang");
    const { client } = makeClient(server);
    await client.wrap(observed.makeOpenai(), "greeting", { user: "ada" }).chat.completions.create(ASK);
    await client.close();
    expect(server.batches.flat()).toEqual([]);
  });

  test.each([
    { name: "another object", value: { chat: { completions: {} } } },
    { name: "a function", value: () => 1 },
    { name: "null", value: null as never },
    {
      name: "an object that cannot be read",
      value: new Proxy(
        {},
        {
          get: () => {
            throw new Error("no");
          },
        },
      ),
    },
  ])("returns $name unchanged, with one warning", ({ value }) => {
    const { client, lines } = observed;
    expect(client.wrap(value as object, "greeting")).toBe(value);
    expect(client.wrap(value as object, "greeting")).toBe(value);
    expect(lines).toHaveLength(1);
  });

  test("twice records once; the user may differ the second time", async () => {
    const { client } = observed;
    const openai = client.wrap(observed.makeOpenai(), "greeting", { user: "ada" });
    expect(client.wrap(openai, "greeting")).toBe(openai);
    await client.wrap(openai, "greeting", { user: "bob" }).chat.completions.create(ASK);
    expect((await observed.calls()).map(({ user_id }) => user_id)).toEqual(["bob"]);
  });

  test("for two experiments records the call for each, and hides the usage chunk once", async () => {
    const second = { ...(sampleConfig().experiments as object[])[0], id: "second-id", name: "second" };
    const config = sampleConfig();
    (config.experiments as object[]).push(second);
    await observed.stop();
    observed = await startObserved({}, config);
    const { client, server } = observed;
    server.script(CHAT, eventStream([...HELLO, USAGE_CHUNK]));
    const once = client.wrap(observed.makeOpenai(), "greeting", { user: "ada" });
    const twice = client.wrap(once, "second", { user: "ada" });
    let chunks = 0;
    for await (const _ of await twice.chat.completions.create(STREAM)) chunks++;
    expect(chunks).toBe(3);
    const told = { input_tokens: 9, response: "Hello you" };
    const [inner, outer] = [IDENTITY.experiment_id, "second-id"];
    expect(await observed.calls()).toMatchObject([
      { ...told, experiment_id: inner },
      { ...told, experiment_id: outer },
    ]);
  });

  test("is counted once below an observer of the same experiment", async () => {
    const { client } = observed;
    const openai = client.wrap(observed.makeOpenai(), "greeting", { user: "ada" });
    const framework = () => openai.chat.completions.create(ASK);
    await client.interceptModelCall("greeting", "ada", async () => {
      await turn();
      return await framework();
    });
    expect((await observed.events()).map(({ type }) => type)).toEqual(["exposure", "model_call"]);
  });

  test("calls a helper of the provider for the current user where contexts cannot be followed", async () => {
    vi.resetModules();
    vi.doMock("#user-context", () => import("./user-context/global.ts"));
    const { Client } = await import("./client.ts");
    vi.doUnmock("#user-context");
    const { server } = observed;
    server.script(CHAT, eventStream([...HELLO, USAGE_CHUNK]));
    const client = new Client({ apiKey: "svc_pk_1", baseUrl: server.url, log: new RecordedLog() });
    await client.ready();
    const openai = client.wrap(observed.makeOpenai(), "greeting");
    const helper = client.withUser("ada", () => openai.chat.completions.stream(ASK));
    await helper.done();
    const inner = () => openai.chat.completions.stream(ASK).finalContent();
    expect(await client.interceptModelCall("greeting", "bob", inner)).toBe("Hello you");
    await client.close();
    const users = server.batches.flat().map(({ type, user_id }) => [type, user_id]);
    expect(users).toEqual([
      ["exposure", "ada"],
      ["model_call", "ada"],
      ["exposure", "bob"],
      ["model_call", "bob"],
    ]);
  });

  test("passes the same arguments to the provider's methods when there is nothing to add", async () => {
    const seen: unknown[] = [];
    const create = (...args: unknown[]) => {
      seen.push(...args);
      return "answer";
    };
    const fake = { chat: { completions: { create } } };
    const body = { messages: [], model: "m", hook: () => 1 };
    const options = { signal: new AbortController().signal };
    const wrapped = observed.client.wrap(fake, "greeting", { user: "ada" });
    expect(wrapped.chat.completions.create(body, options)).toBe("answer");
    expect(seen).toEqual([body, options]);
    expect(seen[0]).toBe(body);
  });
});
