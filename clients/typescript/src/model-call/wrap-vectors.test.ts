import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Reply, type Scenario, ScriptedServer } from "../../../scenario-server/scripted-server.ts";
import { loadPageClient } from "../../test-support/page-client.ts";
import { readVectors } from "../../test-support/read-vectors.ts";
import { Client } from "../client.ts";
import { fieldAt } from "./foreign-value.ts";

interface Vectors {
  readonly config: unknown;
  readonly experiment: string;
  readonly user: string;
  readonly max_retries: number;
  readonly cases: readonly WrapCase[];
}

interface WrapCase {
  readonly name: string;
  readonly method: string;
  /** Arguments of the chat to which the method belongs. */
  readonly chat?: object;
  readonly args: object;
  readonly scenario: Scenario;
  readonly consume: { readonly how: string; readonly chunks?: number };
  readonly seen: Readonly<Record<string, unknown>>;
  readonly sent?: Readonly<Record<string, unknown>>;
  readonly requests?: number;
  readonly events: readonly unknown[];
}

interface Provider {
  /** The file of vectors. */
  readonly file: string;
  make(settings: { url: string; maxRetries: number }): object;
  /** The text of a whole result, or of a chunk. */
  textOf(value: unknown): unknown;
}

type Seen = Record<string, unknown>;

const openai: Provider["make"] = ({ url, maxRetries }) =>
  new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries });

const google: Provider["make"] = ({ url }) =>
  new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url, apiVersion: "v1" } });
const googleText: Provider["textOf"] = (value) =>
  fieldAt(value, "candidates", 0, "content", "parts", 0, "text");

const PROVIDERS: readonly Provider[] = [
  {
    file: "openai-chat",
    make: openai,
    textOf: (value) =>
      fieldAt(value, "choices", 0, "message", "content") ?? fieldAt(value, "choices", 0, "delta", "content"),
  },
  {
    file: "openai-completions",
    make: openai,
    textOf: (value) => fieldAt(value, "choices", 0, "text"),
  },
  { file: "openai-embeddings", make: openai, textOf: () => "" },
  {
    file: "openai-responses",
    make: openai,
    textOf: (value) =>
      fieldAt(value, "output_text") ??
      (fieldAt(value, "type") === "response.output_text.delta" ? fieldAt(value, "delta") : ""),
  },
  {
    file: "anthropic-messages",
    make: ({ url, maxRetries }) => new Anthropic({ apiKey: "k", baseURL: url, maxRetries }),
    textOf: (value) => fieldAt(value, "content", 0, "text") ?? fieldAt(value, "delta", "text"),
  },
  {
    file: "google-generate-content",
    make: google,
    textOf: googleText,
  },
  {
    file: "google-chats",
    make: google,
    textOf: googleText,
  },
];

const ACK: Reply = { status: 202, body: { accepted: 1, config_version: 1, rejected: [] } };

const server = await ScriptedServer.start();
afterAll(() => server.stop());

/** A page has the same calls: the parts that it loads later are there when they end. */
const CLIENTS = [
  { where: "in a process", Made: Client },
  { where: "in a page", Made: await loadPageClient() },
];

describe.each(PROVIDERS.flatMap((provider) => CLIENTS.map((client) => ({ ...provider, ...client }))))(
  "vectors/wrap/$file.json $where",
  ({ file, make, textOf, Made }) => {
    const { config, experiment, user, max_retries: maxRetries, cases } = readVectors<Vectors>(`wrap/${file}`);
    let client: Client;
    beforeEach(async () => {
      server.reset({ "/v1/config": [{ status: 200, body: config }], "/v1/events": [ACK] });
      client = new Made({ apiKey: "svc_pk_1", baseUrl: server.url });
      expect(await client.ready()).toBe(true);
    });
    afterEach(() => client.close());

    test.each(cases)("$name", async (row) => {
      for (const [path, replies] of Object.entries(row.scenario)) server.script(path, ...replies);
      const wrapped = client.wrap(make({ url: server.url, maxRetries }), experiment, { user });
      const seen = await consume(row, wrapped, textOf);
      expect(seen).toMatchObject(withMatchers(row.seen) as object);
      expect("error" in seen).toBe("error" in row.seen);
      const requests = Object.keys(row.scenario).flatMap((path) => server.at(path));
      expect(requests).toHaveLength(row.requests ?? 1);
      const body = JSON.parse(requests.at(-1)?.body ?? "");
      for (const [field, value] of Object.entries(row.sent ?? {})) expect(body[field] ?? null).toEqual(value);
      expect(await client.flush()).toBe(true);
      const events = server.batches.flat().map(({ event_id: _, timestamp: __, ...event }) => event);
      expect(events).toEqual(row.events.map(withMatchers));
    });
  },
);

/** Makes the call and reads its result in the way that `consume` says. */
async function consume(
  { method, args, chat, consume: { how, chunks } }: WrapCase,
  provider: object,
  textOf: Provider["textOf"],
) {
  const path = method.split(".");
  const name = path.pop() ?? "";
  const owner = (
    chat === undefined
      ? fieldAt(provider, ...path)
      : (provider as GoogleGenAI).chats.create(chat as { model: string })
  ) as Record<string, (body: object) => unknown>;
  const seen: Seen = how === "await" ? {} : { chunks: 0, text: "" };
  try {
    const result = await owner[name]?.(args);
    if (how === "await") return { text: textOf(result) ?? "" };
    for await (const chunk of result as AsyncIterable<unknown>) {
      seen.chunks = Number(seen.chunks) + 1;
      seen.text = `${seen.text}${textOf(chunk) ?? ""}`;
      if (seen.chunks !== chunks) continue;
      if (how === "break_after") break;
      (fieldAt(result, "controller") as AbortController).abort();
    }
  } catch (error) {
    const status = fieldAt(error, "status");
    Object.assign(seen, { error: fieldAt(error, "constructor", "name"), ...(status ? { status } : {}) });
  }
  return seen;
}

/** Converts `{"$": …}` to the value to compare with. */
function withMatchers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMatchers);
  if (typeof value !== "object" || value === null) return value;
  const kind = fieldAt(value, "$");
  if (kind === "any_ms") return expect.toSatisfy((ms: unknown) => typeof ms === "number" && ms >= 0);
  if (kind === "any_text") return expect.any(String);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withMatchers(entry)]));
}
