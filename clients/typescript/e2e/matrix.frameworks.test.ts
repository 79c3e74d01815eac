import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestClient } from "../src/testing.ts";
import { type Behavior, type Bill, TEXT } from "../test-support/billed-answers.ts";
import { BillingProvider } from "../test-support/billing-provider.ts";
import { loadLangchain } from "../test-support/langchain-packages.ts";
import {
  aiSdkDriver,
  anthropicDriver,
  chatDriver,
  type Driver,
  googleDriver,
  langchainDrivers,
  responsesDriver,
} from "../test-support/matrix-drivers.ts";

/** TypeScript's part of the matrix in docs/clients.md. ASSAY_WRITE_MATRIX=1 writes it instead of comparing it. */
const DOCUMENT = resolve(import.meta.dirname, "../../../docs/clients.md");
const [BEGIN, END] = ["<!-- matrix: typescript -->\n", "<!-- /matrix -->"];

type Row = Readonly<Record<string, unknown>>;

interface Made {
  readonly driver: Driver;
  readonly provider: BillingProvider;
  readonly client: ReturnType<typeof createTestClient>;
}

interface Case {
  readonly behavior?: Behavior;
  /** What makes the calls; absent: the framework does not offer it. */
  make(made: Made): Promise<unknown> | undefined;
}

const USERS = Array.from({ length: 8 }, (_, index) => `user-${index}`);
const TOOLS = ["weather", "clock"];

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

const wholeAndStream = async ({ driver }: Made, more?: object) => {
  await driver.whole(more);
  await drain(await driver.chunks(more));
};

const CASES: Readonly<Record<string, Case>> = {
  whole: { make: ({ driver }) => driver.whole() },
  stream: { make: async ({ driver }) => drain(await driver.chunks()) },
  "early break": {
    make: async ({ driver }) => {
      for await (const chunk of await driver.chunks()) if (hasText(chunk)) break;
    },
  },
  abort: {
    behavior: { stalls: true },
    make: async ({ driver }) => {
      const abort = new AbortController();
      try {
        for await (const chunk of await driver.chunks({}, abort.signal)) if (hasText(chunk)) abort.abort();
      } catch {
        // Most libraries throw, some end the stream.
      }
    },
  },
  error: {
    behavior: { failures: 99, status: 400 },
    make: ({ driver }) => expect(driver.whole()).rejects.toThrow(),
  },
  tools: { make: (made) => wholeAndStream(made, made.driver.offering(TOOLS.slice(0, 1))) },
  "parallel tools": { make: (made) => wholeAndStream(made, made.driver.offering(TOOLS)) },
  "structured output": { make: ({ driver }) => driver.structured() },
  "n > 1": { make: ({ driver }) => driver.several?.() },
  retries: { behavior: { failures: 1, status: 500 }, make: ({ driver }) => driver.retries?.() },
  reasoning: { behavior: { reasons: true }, make: (made) => wholeAndStream(made) },
  "cache read and write": { behavior: { caches: true }, make: (made) => wholeAndStream(made) },
  // A call while a stream is read, and one below another observer.
  nested: {
    make: async ({ driver, client, provider }) => {
      let isFirst = true;
      for await (const _ of await driver.chunks()) {
        if (isFirst) await driver.whole();
        isFirst = false;
      }
      const call = async () => {
        await driver.whole();
        return provider.ledger.at(-1)!;
      };
      await client.interceptModelCall("greeting", "ann", call, (bill) => bill);
    },
  },
  "concurrent users": {
    make: (made) => Promise.all(USERS.map((user) => made.client.withUser(user, () => wholeAndStream(made)))),
  },
  embeddings: { make: ({ driver }) => driver.embeddings?.() },
};

const hasText = (chunk: unknown) => JSON.stringify(chunk).includes(TEXT[0].trim());

const TOKENS = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_5m_tokens",
  "cache_write_1h_tokens",
  "output_tokens",
  "reasoning_tokens",
];
const tokensOf = (rows: readonly (Row | Bill)[]) =>
  rows.map((row) => TOKENS.map((name) => Number(row[name] ?? 0)).join(" ")).sort();

/** Makes the calls of a case. Returns `=`, or what differs from the ledger. */
async function cellOf(title: string, made: Made): Promise<string> {
  const { client, provider } = made;
  const { behavior = {}, make } = CASES[title]!;
  provider.reset(behavior);
  const calls = client.withUser("ann", () => make(made));
  if (calls === undefined) return "–";
  await calls;
  const { ledger } = provider;
  const expected = ledger.length || 1;
  if (title !== "error") expect(ledger, `${made.driver.title}, ${title}: no call was made`).not.toEqual([]);
  const recorded = () => client.events.filter(({ type }) => type === "model_call");
  // A framework may report after it has answered; some never do.
  const deadline = Date.now() + 3_000;
  while (recorded().length < expected && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // Calls that may still go on are then decided.
  await client.close();
  const rows = recorded();
  if (rows.length !== expected) return rows.length === 0 ? "missing" : `${rows.length} of ${expected} calls`;
  const usersOf = (events: readonly Row[]) => events.map((row) => row.user_id).sort();
  const users = title === "concurrent users" ? [...USERS, ...USERS].sort() : rows.map(() => "ann");
  const exposed = client.events.filter(({ type }) => type === "exposure");
  if (`${usersOf(rows)}` !== `${users}` || `${usersOf(exposed)}` !== `${users}`) return "wrong user";
  return verdictOf(title, rows, ledger);
}

function verdictOf(title: string, rows: readonly Row[], ledger: readonly Bill[]): string {
  const [first] = rows;
  if (title === "error") return first?.error === true && first.error_type ? "=" : "other error";
  if (rows.some(({ error }) => error)) return "error";
  if (title === "early break" || title === "abort") {
    if ((first?.metadata as Row | undefined)?.outcome !== "aborted")
      return `${tokensOf(rows)}` === `${tokensOf(ledger)}` ? "whole" : "not marked";
    return first?.output_tokens ? "=" : "no tokens";
  }
  if (rows.every((row) => TOKENS.every((name) => !row[name]))) return "no tokens";
  if (`${tokensOf(rows)}` !== `${tokensOf(ledger)}`) return "other tokens";
  const named = { tools: TOOLS.slice(0, 1), "parallel tools": TOOLS }[title] ?? [];
  const isTold = rows.every(({ response }) =>
    named.every((name) => `${response}`.replaceAll(" ", "").includes(`[tool_call${name}({"city":"yes"})]`)),
  );
  return isTold ? "=" : "text";
}

describe("the matrix in docs/clients.md", () => {
  let provider: BillingProvider;
  beforeAll(async () => {
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    provider = await BillingProvider.start();
  });
  afterAll(() => provider.stop());

  test("says what is recorded of each library's calls", async () => {
    const langchain = await loadLangchain();
    const make = () => {
      const client = createTestClient({ greeting: "short" });
      const setting = { client, url: provider.url };
      const own = [chatDriver, responsesDriver, anthropicDriver, googleDriver, aiSdkDriver];
      return { client, drivers: [...own.map((of) => of(setting)), ...langchainDrivers(langchain, setting)] };
    };
    const titles = Object.keys(CASES);
    const lines = [`| | ${titles.join(" | ")} |`, `|---${"|---".repeat(titles.length)}|`];
    for (const [index, { title: row }] of make().drivers.entries()) {
      const cells: string[] = [];
      for (const title of titles) {
        const { client, drivers } = make();
        cells.push(await cellOf(title, { driver: drivers[index]!, provider, client }));
      }
      lines.push(`| ${[row, ...cells].join(" | ")} |`);
    }
    const document = readFileSync(DOCUMENT, "utf8");
    const [before = "", after = ""] = document.split(BEGIN);
    const [part = "", ...rest] = after.split(END);
    expect(rest.length, "the document has marks for the matrix of TypeScript").toBeGreaterThan(0);
    // The notes below the table are written by hand.
    const notes = part.slice(part.indexOf("\n\nTypeScript: "));
    const written = `${before}${BEGIN}\n${lines.join("\n")}${notes}${END}${rest.join(END)}`;
    if (process.env.ASSAY_WRITE_MATRIX === "1") writeFileSync(DOCUMENT, written);
    else expect(document).toBe(written);
  });
});
