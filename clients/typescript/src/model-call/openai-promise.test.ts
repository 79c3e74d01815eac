import OpenAI, {
  APIPromise,
  APIUserAbortError,
  AuthenticationError,
  AzureOpenAI,
  BadRequestError,
} from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ASK,
  OPENAI_CALL as CALL,
  CHAT,
  completion,
  IDENTITY,
  type Observed,
  startObserved,
} from "../../test-support/model-call-fixture.ts";

let observed: Observed;
let openai: OpenAI;
let wrapped: OpenAI;
beforeEach(async () => {
  observed = await startObserved();
  openai = observed.makeOpenai();
  wrapped = observed.client.wrap(openai, "greeting", { user: "ada" });
});
afterEach(() => observed.stop());

const ms = expect.any(Number);

test("records an exposure and the call", async () => {
  const answer = await wrapped.chat.completions.create(ASK);
  expect(answer.choices[0]?.message.content).toBe("Hello you");
  expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }, CALL]);
});

describe("the promise", () => {
  test("is the provider's own, and parses on request", async () => {
    const promise = wrapped.chat.completions.create(ASK);
    expect(promise).toBeInstanceOf(APIPromise);
    const { data, response, request_id: id } = await promise.withResponse();
    expect([data.id, response.status, id]).toEqual(["c1", 200, null]);
    expect((await promise).id).toBe("c1");
    expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }, CALL]);
  });

  test("gives the raw response with its body unread", async () => {
    const response = await wrapped.chat.completions.create(ASK).asResponse();
    expect(response).toBeInstanceOf(Response);
    expect(await response.json()).toMatchObject({ id: "c1" });
    const [, call] = await observed.events();
    expect(call).toEqual({
      ...IDENTITY,
      type: "model_call",
      latency_ms: ms,
      provider: "localhost",
      requested_model: "gpt-5-mini",
      error: false,
      prompt: "Say hello",
    });
  });

  test("is observed through catch, finally and its unwrapped promise", async () => {
    await wrapped.chat.completions.create(ASK).catch(() => null);
    await wrapped.chat.completions.create(ASK).finally(() => {});
    const promise = wrapped.chat.completions.create(ASK) as unknown as {
      _thenUnwrap(use: (answer: { id: string }) => string): Promise<string>;
    };
    expect(await promise._thenUnwrap(({ id }) => id)).toBe("c1");
    expect((await observed.events()).filter(({ type }) => type === "model_call")).toEqual([CALL, CALL, CALL]);
  });

  test("without a handler is unhandled once, as without us", async () => {
    observed.server.script(CHAT, { status: 400, body: { error: { message: "no" } } });
    const seen: unknown[] = [];
    const listeners = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", (error) => seen.push(error));
    try {
      wrapped.chat.completions.create(ASK);
      await observed.server.received(CHAT, 1);
      while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen).toEqual([expect.any(BadRequestError)]);
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of listeners) process.on("unhandledRejection", listener);
    }
  });
});

describe("a failure", () => {
  const failed = (errorType: string) => ({
    ...IDENTITY,
    type: "model_call",
    latency_ms: ms,
    provider: "localhost",
    requested_model: "gpt-5-mini",
    error: true,
    error_type: errorType,
    prompt: "Say hello",
  });

  test.each([
    { status: 400, type: "BadRequestError", requests: 1 },
    { status: 401, type: "AuthenticationError", requests: 1 },
    { status: 429, type: "RateLimitError", requests: 3 },
    { status: 500, type: "InternalServerError", requests: 3 },
  ])("of status $status is the provider's error and one call, including retries", async (row) => {
    const headers = { "retry-after-ms": "1" };
    observed.server.script(CHAT, { status: row.status, headers, body: { error: { message: "no" } } });
    const error = await wrapped.chat.completions.create(ASK).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect((error as Error).constructor.name).toBe(row.type);
    expect(observed.server.at(CHAT)).toHaveLength(row.requests);
    expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }, failed(row.type)]);
  });

  test("then a success is one call that succeeded", async () => {
    observed.server.script(CHAT, { status: 500, headers: { "retry-after-ms": "1" } }, completion());
    await wrapped.chat.completions.create(ASK);
    expect(observed.server.at(CHAT)).toHaveLength(2);
    expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }, CALL]);
  });

  test("is the same object that the provider threw", async () => {
    const thrown = new AuthenticationError(401, undefined, "no", new Headers());
    openai.chat.completions.create = (() => Promise.reject(thrown)) as never;
    await expect(wrapped.chat.completions.create(ASK)).rejects.toBe(thrown);
    openai.chat.completions.create = () => {
      throw thrown;
    };
    expect(() => wrapped.chat.completions.create(ASK)).toThrow(thrown);
    expect((await observed.events()).filter(({ error }) => error)).toHaveLength(2);
  });

  test("by the caller's abort is not an error", async () => {
    observed.server.script(CHAT, "hang");
    const abort = new AbortController();
    const promise = wrapped.chat.completions.create(ASK, { signal: abort.signal });
    await observed.server.received(CHAT, 1);
    abort.abort();
    await expect(promise).rejects.toBeInstanceOf(APIUserAbortError);
    const [, call] = await observed.events();
    expect(call).toMatchObject({ error: false, metadata: { outcome: "aborted" } });
    expect(call).not.toHaveProperty("error_type");
  });
});

describe("the wrapped client", () => {
  test("is an instance of its class, returns the same parts each time and does not change the original", async () => {
    expect(wrapped).toBeInstanceOf(OpenAI);
    expect(wrapped.constructor).toBe(OpenAI);
    expect(wrapped.chat).toBe(wrapped.chat);
    expect(wrapped.chat.completions.create.name).toBe(openai.chat.completions.create.name);
    expect(wrapped.models).toBe(openai.models);
    await openai.chat.completions.create(ASK);
    expect(await observed.events()).toEqual([]);
  });

  test("lists models and calls everything else as the original does", async () => {
    observed.server.script("/v1/models", { status: 200, body: { object: "list", data: [{ id: "m1" }] } });
    const ids = [];
    for await (const { id } of wrapped.models.list()) ids.push(id);
    expect(ids).toEqual(["m1"]);
    observed.server.script(`${CHAT}/c1`, completion());
    expect((await wrapped.chat.completions.retrieve("c1")).id).toBe("c1");
    expect(await wrapped.get("/models")).toMatchObject({ object: "list" });
    expect(await observed.events()).toEqual([]);
  });

  test("can be changed like the original", () => {
    wrapped.baseURL = "http://127.0.0.1:1/v1";
    expect(openai.baseURL).toBe("http://127.0.0.1:1/v1");
  });

  test("is observed when it is copied with other options", async () => {
    await wrapped.withOptions({ timeout: 5_000 }).chat.completions.create(ASK);
    expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }, CALL]);
  });

  test("may be of a subclass with private fields", async () => {
    class Tenant extends OpenAI {
      #name = "acme";
      get tenant() {
        return this.#name;
      }
      set tenant(name: string) {
        this.#name = name;
      }
      shout() {
        return this.#name.toUpperCase();
      }
    }
    const tenant = observed.client.wrap(
      new Tenant({ apiKey: "k", baseURL: `${observed.server.url}/v1` }),
      "greeting",
      { user: "ada" },
    );
    tenant.tenant = "bolt";
    expect([tenant.tenant, tenant.shout()]).toEqual(["bolt", "BOLT"]);
    await tenant.chat.completions.create(ASK);
    expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }, CALL]);
  });

  test("may be of Azure", async () => {
    const { server, client } = observed;
    const path = "/openai/deployments/gpt-5-mini/chat/completions?api-version=2025-01-01";
    server.script(path, completion());
    const azure = new AzureOpenAI({ endpoint: server.url, apiKey: "k", apiVersion: "2025-01-01" });
    await client.wrap(azure, "greeting", { user: "ada" }).chat.completions.create(ASK);
    expect(await observed.events()).toEqual([{ ...IDENTITY, type: "exposure" }, CALL]);
  });

  test("may be frozen: then it works without being observed", async () => {
    const frozen = observed.client.wrap(Object.freeze(openai), "greeting", { user: "ada" });
    expect((await frozen.chat.completions.create(ASK)).id).toBe("c1");
  });

  test("parses a completion as one call", async () => {
    const schema = { name: "n", strict: true, schema: { type: "object", properties: {} } };
    const message = { role: "assistant", content: '{"a":1}', refusal: null };
    observed.server.script(CHAT, completion({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
    const answer = await wrapped.chat.completions.parse({
      ...ASK,
      response_format: { type: "json_schema", json_schema: schema },
    });
    expect(answer.choices[0]?.message.content).toBe('{"a":1}');
    expect(await observed.events()).toEqual([
      { ...IDENTITY, type: "exposure" },
      { ...CALL, response: '{"a":1}' },
    ]);
  });
});
