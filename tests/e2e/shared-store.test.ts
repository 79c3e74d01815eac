import { createHash } from "node:crypto";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../clients/scenario-server/scripted-server.ts";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { hasTools } from "./support/has-tools.ts";
import { NODE, ROOT, runProgram } from "./support/program.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** A program that tracks the events named after the folder, or without any waits until the folder is empty, and ends. */
interface Language {
  readonly file: string;
  readonly code: string;
  readonly command: (file: string) => readonly string[];
  readonly tools: readonly string[];
}

const MAVEN_MS = 300_000;
/** Not below the repository's own build folder: another test may be at that. */
const javaBuild = temporaryFolder();

const LANGUAGES: Readonly<Record<string, Language>> = {
  TypeScript: {
    file: "store.ts",
    code: `
import { readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Client } from "@assay/client";
const [, , offlineStore, ...ids] = process.argv;
const client = new Client({ offlineStore });
await client.ready();
for (const event_id of ids) {
  client.track("business_event", { event_id, experiment_id: "x", user_id: "é😀", business_metric: "m", value: 0.1 });
}
const waits = () => readdirSync(offlineStore).some((name) => name.includes(".ndjson"));
while (ids.length === 0 && waits()) await setTimeout(20);
await client.close(1_000);
`,
    command: (file) => [NODE, file],
    tools: [],
  },
  Python: {
    file: "store.py",
    code: `
import os, sys, time
from assay import Assay
_, folder, *ids = sys.argv
client = Assay(offline_store=folder)
client.wait_ready()
for event_id in ids:
    event = {"event_id": event_id, "experiment_id": "x", "user_id": "é😀", "business_metric": "m", "value": 0.1}
    client.track("business_event", event)
while not ids and any(".ndjson" in name for name in os.listdir(folder)):
    time.sleep(0.02)
client.close(1)
`,
    command: (file) => ["python3", file],
    tools: ["python3"],
  },
  Java: {
    file: "Store.java",
    code: `
import dev.assay.AssayClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
class Store {
    public static void main(String[] args) throws Exception {
        AssayClient client = AssayClient.builder().offlineStore(Path.of(args[0])).build();
        client.awaitReady(Duration.ofSeconds(10));
        for (int i = 1; i < args.length; i++) {
            client.track("business_event", Map.of("event_id", args[i], "experiment_id", "x",
                    "user_id", "é😀", "business_metric", "m", "value", 0.1));
        }
        while (args.length == 1 && Files.list(Path.of(args[0])).anyMatch(f -> f.toString().contains(".ndjson"))) {
            Thread.sleep(20);
        }
        client.close(Duration.ofSeconds(1));
    }
}
`,
    command: (file) => ["java", "-Dfile.encoding=UTF-8", "-cp", join(javaBuild, "classes"), file],
    tools: ["java", "mvn"],
  },
};

const present = Object.entries(LANGUAGES).filter(([name, { tools }]) =>
  hasTools(`a store shared with ${name}`, tools),
);
const pairs = present.flatMap(([writer]) =>
  present.map(([reader]) => ({ writer, reader })).filter(({ reader }) => reader !== writer),
);

/** The last config, which every client keeps under the same name: it has the key's hash. */
const CONFIG = `config-${createHash("sha256").update("svc_pk_shared").digest("hex").slice(0, 16)}.json`;

if (pairs.length === 0) test.skip("a store shared by two languages", () => {});

let server: ScriptedServer;
let folder: string;
beforeAll(async () => {
  server = await ScriptedServer.start();
  onCleanUp(() => server.stop());
  folder = temporaryFolder();
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [, { file, code }] of present) writeFileSync(join(folder, file), code);
  if (present.some(([name]) => name === "Java")) {
    const pom = join(ROOT, "clients/java/pom.xml");
    const maven = ["-B", "-q", "-ntp", "-f", pom, `-DbuildDirectory=${javaBuild}`, "compile"];
    expect((await runProgram("mvn", maven)).code).toBe(0);
  }
}, MAVEN_MS);
afterAll(cleanUp);

/** Runs the program of a language to its end, with a service that answers events like this. */
async function run(language: string, status: number, args: readonly string[]) {
  server.reset({
    "/v1/config": [{ status: 200, body: { config_version: 1, experiments: [] } }],
    "/v1/events": [{ status, body: { accepted: 1, config_version: 1, rejected: [] } }],
  });
  const { file, command } = LANGUAGES[language]!;
  const [program = "", ...rest] = command(join(folder, file));
  const env = {
    ASSAY_API_KEY: "svc_pk_shared",
    ASSAY_BASE_URL: server.url,
    PYTHONPATH: join(ROOT, "clients/python/src"),
  };
  return runProgram(program, [...rest, ...args], env);
}

describe.each(pairs)("events kept by the client in $writer", ({ writer, reader }) => {
  test(`is sent once and unchanged by the client in ${reader}`, async () => {
    const store = temporaryFolder();
    const ids = Array.from({ length: 30 }, (_, index) => `${writer}-${index}`);
    expect((await run(writer, 503, [store, ...ids])).code).toBe(0);
    const tried = server.batches[0]!;
    const [config, kept, ...others] = readdirSync(store).sort();
    expect([config, kept, others]).toEqual([CONFIG, expect.stringMatching(/^spill-.*\.ndjson$/), []]);
    expect((await run(reader, 202, [store])).code).toBe(0);
    expect(server.batches.flat()).toEqual(tried);
    expect(tried.map(({ event_id }) => event_id)).toEqual(ids);
    expect(readdirSync(store)).toEqual([CONFIG]);
  });
});
