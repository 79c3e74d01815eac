import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { publint } from "publint";
import { beforeAll, describe, expect, test } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { startService } from "../test-support/client-fixture.ts";
import { installPackage, type Project } from "../test-support/installed-package.ts";
import { findNode18 } from "../test-support/node-18.ts";

const REPOSITORY = resolve(import.meta.dirname, "../../..");
/** Entries with a client; the middleware of the AI SDK is tested with the first one's. */
const ENTRIES = ["@assay/client", "@assay/client/core"];

let project: Project;
let service: ScriptedServer;
beforeAll(async () => {
  service = await startService();
  return () => service.stop();
});
beforeAll(async () => {
  project = await installPackage();
  return () => project.remove();
});

const manifest = () => JSON.parse(readFileSync(`${project.packageFolder}/package.json`, "utf8"));

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, { cwd: project.folder, env: { PATH: process.env.PATH, ...env } });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code, output, errors };
}

describe("the package", () => {
  const LOAD = {
    esm: (entry: string) => `import { Client } from "${entry}";`,
    cjs: (entry: string) => `const { Client } = require("${entry}");`,
  };
  const PROGRAM = `
    (async () => {
      let refusal = null;
      try { new Client(); } catch (error) { refusal = error.message; }
      const client = new Client({ apiKey: "svc_pk_1", baseUrl: process.env.SERVICE, experiments: ["greeting"] });
      const ready = await client.ready();
      const variant = client.assign("greeting", "u1");
      const flushed = await client.flush();
      const wraps = typeof client.wrap;
      console.log(JSON.stringify({ refusal, ready, variant, flushed, wraps, closed: await client.close() }));
    })();`;

  const MIDDLEWARE = `
    (async () => {
      const client = new Client({ apiKey: "svc_pk_1", baseUrl: process.env.SERVICE, experiments: ["greeting"] });
      await client.ready();
      await client.withUser("u1", async () => {
        await null;
        await middleware(client, "greeting").wrapGenerate({
          model: { provider: "openai.chat", modelId: "m" },
          params: { prompt: [{ role: "user", content: "Hi?" }] },
          doGenerate: async () => ({ content: [{ type: "text", text: "Hi." }] }),
        });
      });
      await client.close();
    })();`;

  describe.each(["Node 18", "Node 24"])("on %s", (runtime) => {
    const node = runtime === "Node 18" ? findNode18() : process.execPath;

    test.for(
      ENTRIES.flatMap((entry) => [
        { entry, format: "esm" as const },
        { entry, format: "cjs" as const },
      ]),
    )(
      "assigns and delivers as $format from $entry, and the process ends by itself",
      async ({ entry, format }, { skip }) => {
        if (node === null) return skip("there is no Node 18");
        const file = project.write(
          `program.${format === "esm" ? "mjs" : "cjs"}`,
          LOAD[format](entry) + PROGRAM,
        );
        const before = service.batches.length;
        const { code, output, errors } = await run(node, [file], { SERVICE: service.url });
        expect({ code, errors }).toEqual({ code: 0, errors: "" });
        expect(JSON.parse(output)).toEqual({
          refusal: "Assay needs an API key: pass apiKey or set ASSAY_API_KEY.",
          ready: true,
          variant: "short",
          flushed: true,
          wraps: entry.endsWith("core") ? "undefined" : "function",
          closed: true,
        });
        const sent = service.batches.slice(before).flat();
        expect(sent).toMatchObject([{ type: "exposure", user_id: "u1", variant: "short" }]);
      },
    );

    test("ends by itself while a request waits for a change of the config", async ({ skip }) => {
      if (node === null) return skip("there is no Node 18");
      const wait = "/v1/config?wait=30";
      service.script(wait, "hang");
      const program = `
        const client = new Client({ apiKey: "svc_pk_1", baseUrl: process.env.SERVICE, longPoll: true });
        process.stdin.resume();`;
      const file = project.write("waits.mjs", LOAD.esm("@assay/client") + program);
      const before = service.at(wait).length;
      const child = spawn(node, [file], { cwd: project.folder, env: { SERVICE: service.url } });
      const ended = once(child, "exit");
      await service.received(wait, before + 1);
      child.stdin.end();
      expect(await ended).toEqual([0, null]);
    });
  });

  test.each([
    {
      format: "mjs",
      load: 'import { Client } from "@assay/client"; import { middleware } from "@assay/client/ai-sdk";',
    },
    {
      format: "cjs",
      load: 'const { Client } = require("@assay/client"); const { middleware } = require("@assay/client/ai-sdk");',
    },
  ])("records calls of the AI SDK for the current user as $format", async ({ format, load }) => {
    const file = project.write(`ai-sdk.${format}`, load + MIDDLEWARE);
    const before = service.batches.length;
    const { code, errors } = await run(process.execPath, [file], { SERVICE: service.url });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const call = { user_id: "u1", provider: "openai", requested_model: "m", prompt: "Hi?", response: "Hi." };
    expect(service.batches.slice(before).flat()).toMatchObject([
      { type: "exposure" },
      { type: "model_call", ...call },
    ]);
  });

  test.each([
    {
      format: "mjs",
      load: 'import { createTestClient } from "@assay/client/testing"; import { agent } from "@assay/client/agent";',
    },
    {
      format: "cjs",
      load: 'const { createTestClient } = require("@assay/client/testing"); const { agent } = require("@assay/client/agent");',
    },
  ])("records the tools of an agent for the current user and run as $format", async ({ format, load }) => {
    const program = `
      const client = createTestClient({ greeting: "short" });
      client.withUser("u1", () => client.withRun("r1", async () => {
        await null;
        await agent(client, "greeting").callTool("search", async () => "x", { q: 1 });
        agent(client, "greeting").endRun();
      })).then(() => console.log(JSON.stringify(client.events)));`;
    const file = project.write(`agent.${format}`, load + program);
    const { code, errors, output } = await run(process.execPath, [file], {});
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const placed = { user_id: "u1", run_id: "r1", variant: "short" };
    expect(JSON.parse(output)).toMatchObject([
      { ...placed, type: "tool_call", tool_name: "search", tool_arguments: '{"q":1}', tool_result: "x" },
      { ...placed, type: "run_end", completed: true },
    ]);
  });

  test.each([
    { format: "mjs", load: 'import { createTestClient } from "@assay/client/testing";' },
    { format: "cjs", load: 'const { createTestClient } = require("@assay/client/testing");' },
  ])("makes a client for unit tests as $format, and the process ends by itself", async ({ format, load }) => {
    const program = `
      const client = createTestClient({ greeting: "short" });
      console.log(client.assign("greeting", "ann"), client.events.length);`;
    const file = project.write(`unit-test.${format}`, load + program);
    expect(await run(process.execPath, [file])).toEqual({ code: 0, output: "short 1\n", errors: "" });
  });

  test("publint finds no problems", async () => {
    const { messages } = await publint({ pkgDir: project.packageFolder, strict: true });
    expect(messages).toEqual([]);
  });

  test.each(["index", "core"])(
    "is the global `assay` of a page whose script element loads %s",
    async (entry) => {
      const page = {
        fetch,
        setTimeout,
        clearTimeout,
        console,
        TextEncoder,
        AbortController,
        URLSearchParams,
      };
      const code = readFileSync(`${project.packageFolder}/iife/${entry}.js`, "utf8");
      const { Client } = runInNewContext(`${code}; assay`, page);
      const client = new Client({ apiKey: "svc_pk_1", baseUrl: service.url, experiments: ["greeting"] });
      expect([await client.ready(), client.assign("greeting", "u1"), await client.close()]).toEqual([
        true,
        "short",
        true,
      ]);
    },
  );

  test("names existing files for tools that do not read `exports`, and the same addresses as the other clients", () => {
    const { main, types, typesVersions, unpkg, jsdelivr, homepage, repository, bugs } = manifest();
    for (const path of [main, types, unpkg, jsdelivr, ...Object.values<string>(typesVersions["*"]).flat()])
      expect(existsSync(`${project.packageFolder}/${path}`), path).toBe(true);
    const git = repository.url.replace("git+", "");
    for (const path of ["openfeature/package.json", "python/pyproject.toml", "java/pom.xml"]) {
      const text = readFileSync(`${REPOSITORY}/clients/${path}`, "utf8");
      for (const address of [homepage, git, bugs]) expect(text).toMatch(new RegExp(`[">:+]${address}["<]`));
    }
  });

  test("depends on nothing", () => {
    expect(Object.keys(manifest()).filter((name) => /dependencies|imports|scripts/i.test(name))).toEqual([]);
  });
});

describe("the types", () => {
  const USE = `
    export const options: ClientOptions = { apiKey: "svc_pk_1", experiments: ["greeting"], flushIntervalMs: 1 };
    export const client = new Client(options);
    export const variant: string | null = client.assign("greeting", "u");
    export const { prompt, fallback }: { prompt: string; fallback: boolean } = client.getPrompt("greeting", "u", "Hi");
    export const size: number = client.getVariables("greeting", "u", { size: 1 }).size;
    client.track("business_event", { experiment_id: "greeting", user_id: "u", business_metric: "sold", value: 1 });
    export const closed: Promise<boolean> = client.close();
    declare const unset: undefined;
    export const unsetOptions: ClientOptions = {
      apiKey: unset, baseUrl: unset, experiments: unset, trackExposures: unset, flushIntervalMs: unset, pollIntervalMs: unset,
      longPoll: unset, bootstrap: unset, offlineStore: unset, durable: unset, waitUntil: unset, mask: unset, log: unset, fetch: unset,
      now: unset, newId: unset, schedule: unset,
    };
    client.track("exposure", { experiment_id: "greeting", user_id: "u", variant: unset, event_id: unset, timestamp: unset, metadata: unset });
  `;
  const WRAP = `
    export const wrapped: { readonly model: "m" } = client.wrap({ model: "m" } as const, "greeting");
    export const answer: number = client.withUser("u", () => 42);
    client.wrap({}, "greeting", { user: unset, streamUsage: unset });
    new Client({ overrides: unset, urlOverrides: unset, offline: unset });
  `;
  const AI_SDK = `
    import { type LanguageModelMiddleware, middleware } from "@assay/client/ai-sdk";
    export const made: LanguageModelMiddleware = middleware(client, "greeting", { user: "u" });
  `;
  const TESTING = `
    import { createTestClient } from "@assay/client/testing";
    export const forTests: Client = createTestClient({ greeting: { variant: "short", variables: { size: 2 } }, tone: null });
    export const seen: number = createTestClient({}).events.length;
  `;
  const OTHERS = `
    import { agent } from "@assay/client/agent";
    import { callbackHandler } from "@assay/client/langchain";
    import { tracingProcessor } from "@assay/client/openai-agents";
    import { findAssignmentIn } from "@assay/client/rendering";
    agent(client, "greeting").trackToolCall("search", { latency_ms: 1 });
    agent(client, "greeting", { user: unset, agentName: unset }).endRun({ completed: unset, run: unset });
    export const observers: object[] = [callbackHandler(client, "greeting"), tracingProcessor(client, "greeting")];
    export const rendered: string | undefined = findAssignmentIn({}, "greeting", "u")?.variant.key;
  `;
  const WRONG = `export const wrong: number = client.assign("greeting", "u");`;
  const importing = (entry: string) => `import { Client, type ClientOptions } from "${entry}";`;
  const PAGE = { lib: ["es2022", "dom"], types: [] };
  const SERVER = { lib: ["es2022"], types: ["node"], typeRoots: [`${REPOSITORY}/node_modules/@types`] };

  function check(file: string, code: string, options: object) {
    project.write(file, code);
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: "es2022",
      ...options,
    };
    const config = project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: [file] }));
    const { stdout } = spawnSync(`${REPOSITORY}/node_modules/.bin/tsc`, ["-p", config], { encoding: "utf8" });
    return stdout;
  }

  const lastLineOf = (code: string) => code.split("\n").length;
  /** Every error that the compiler prints, by its line: where all are expected ones, the other lines are right. */
  const errorsIn = (said: string) =>
    [...said.matchAll(/\((\d+),\d+\): error (TS\d+)/g)].map(([, line, error]) => [Number(line), error]);

  /** As \`npx assay types\` writes it (\`apps/cli/src/types/typescript.ts\`). */
  const NAMES = `
    import "@assay/client";
    declare module "@assay/client" {
      interface Experiments {
        "greeting": { variant: "control" | "short"; variables: { "size": number; "mode": string } };
      }
      interface BusinessMetrics { "sold": number }
    }
  `;
  const NAMED = `
    export const named: "control" | "short" | null = client.assign("greeting", "u");
    export const both: number = client.getVariables("greeting", "u", { size: 1, mode: "a" }).size;
  `;

  const projects = [
    { name: "ESM for Node", file: "use.mts", options: { module: "nodenext", ...SERVER } },
    { name: "CommonJS for Node", file: "use.cts", options: { module: "nodenext", ...SERVER } },
    {
      name: "a bundler's",
      file: "use.ts",
      options: { module: "esnext", moduleResolution: "bundler", ...PAGE },
    },
  ];
  test.each(projects.flatMap((each) => ENTRIES.map((entry) => ({ ...each, entry }))))(
    "of $entry work in a project that is $name",
    ({ file, options, entry }) => {
      const code = importing(entry) + USE + (entry.endsWith("core") ? "" : WRAP + AI_SDK + TESTING + OTHERS);
      expect(errorsIn(check(file, `${code}\n${WRONG}`, options))).toEqual([[lastLineOf(code) + 1, "TS2322"]]);
    },
  );

  test.each(projects)(
    "have the names from a file of `assay types`, in a project that is $name",
    ({ file, options }) => {
      const code = importing("@assay/client") + NAMES + USE + WRAP + NAMED;
      // The compiler starts once for all.
      const wrong = [
        ['client.assign("greting", "u");', "TS2345"],
        ['client.getPrompt("greting", "u", "Hi");', "TS2345"],
        ['export const other: "long" | null = client.assign("greeting", "u");', "TS2322"],
        ['client.getVariables("greeting", "u", { size: 1, mod: "a" });', "TS2322"],
        ['client.getVariables("greeting", "u", { size: "1" });', "TS2322"],
        [
          'client.track("business_event", { experiment_id: "e", user_id: "u", business_metric: "sld" });',
          "TS2322",
        ],
      ] as const;
      const said = check(file, [code, ...wrong.map(([line]) => line)].join("\n"), options);
      expect(errorsIn(said)).toEqual(wrong.map(([, error], index) => [lastLineOf(code) + 1 + index, error]));
    },
  );
});

describe("a bundle", () => {
  async function bundleFor(conditions: readonly string[], code: string): Promise<string> {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: project.folder },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      conditions: [...conditions],
      write: false,
    });
    return outputFiles.map((file) => file.text).join("");
  }

  test.each([
    { runtime: "a page", conditions: ["browser"] },
    { runtime: "Cloudflare's workers", conditions: ["workerd", "browser"] },
    { runtime: "any other runtime", conditions: [] },
  ])("for $runtime imports nothing", async ({ conditions }) => {
    for (const entry of ENTRIES) {
      const bundled = await bundleFor(
        conditions,
        `import { Client } from "${entry}"; new Client({ apiKey: "k" });`,
      );
      expect(bundled).toContain("X-API-Key");
      expect(bundled).not.toMatch(/(\bfrom|\bimport|\brequire)\s*\(?\s*["']/);
    }
  });

  test.each([
    { runtime: "Cloudflare's workers", condition: "workerd" },
    { runtime: "Vercel's and Next.js's edge runtime", condition: "edge-light" },
  ])("for $runtime, whose bundlers set `browser` too, reads the environment", async ({ condition }) => {
    for (const entry of ENTRIES) {
      const bundled = await bundleFor(
        [condition, "browser"],
        `import { Client } from "${entry}"; new Client();`,
      );
      expect(bundled).toContain(".process?.env");
    }
  });

  test("holds nothing of a client that is imported and not used", async () => {
    expect(await bundleFor(["browser"], `import { Client } from "@assay/client"; console.log(1);`)).toBe(
      "console.log(1);\n",
    );
  });
});
