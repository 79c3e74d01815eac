import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import SqliteFile from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeEmbedded, testEmbedded } from "../servers/embedded-only.ts";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { expectOneLine } from "./support/expect-one-line.ts";
import { groupOf } from "./support/process-table.ts";
import { CLI, type Environment, NODE, runCli, startProgram } from "./support/program.ts";
import { type RunningService, startService } from "./support/service.ts";
import { mayMount, mountSmallDisk } from "./support/small-disk.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

/** A start that takes longer counts as hanging. */
const START_DEADLINE_MS = 80_000;

const canMount = mayMount();
const isLinux = process.platform === "linux";
if (!isLinux)
  console.warn("\n!!! SKIPPED: /proc is not here, so read-only system folders were not tested.\n");

let running: RunningService;

beforeAll(async () => {
  running = await startService(temporaryFolder());
});

afterAll(cleanUp);

/** Starts the service, which must exit by itself, and checks that no engine is left behind. */
async function serveInVain(env: Environment) {
  const program = startProgram(NODE, [CLI, "serve"], { ASSAY_PORT: "0", ...env });
  const deadline = setTimeout(() => program.signalGroup("SIGKILL"), START_DEADLINE_MS);
  const { code } = await program.exited.finally(() => clearTimeout(deadline));
  await until("nothing of it is left", () => groupOf(program.pid).length === 0);
  return { code, stderr: program.stderr() };
}

/** Listens on a port as another program would. */
async function listenAsAnotherProgram(): Promise<string> {
  const server = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onCleanUp(() => server.close());
  return String((server.address() as AddressInfo).port);
}

/** Makes a used data folder whose service is stopped. */
async function usedDataFolder(): Promise<string> {
  const dataDir = temporaryFolder();
  await (await startService(dataDir)).stop();
  return dataDir;
}

test("a busy port", async () => {
  const port = await listenAsAnotherProgram();
  const ended = await serveInVain({ ASSAY_PORT: port, ASSAY_DATA_DIR: temporaryFolder() });
  expectOneLine(ended, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use: .*ASSAY_PORT`));
});

describeEmbedded("a data folder", () => {
  test("in use by another running Assay, which goes on unharmed", async () => {
    const ended = await serveInVain({ ASSAY_DATA_DIR: running.dataDir });
    expectOneLine(ended, /Another Assay uses this data folder: stop it, or set ASSAY_DATA_DIR/);
    expect((await running.send("GET", "/readyz")).status).toBe(200);
  });

  test("that is a file", async () => {
    const file = join(temporaryFolder(), "data");
    writeFileSync(file, "");
    expectOneLine(await serveInVain({ ASSAY_DATA_DIR: file }), /is not a folder: set ASSAY_DATA_DIR/);
  });

  test.runIf(isLinux).each(["/proc/assay-data", "/sys/assay-data", "/proc", "/sys/kernel"])(
    "in a place where nobody can write: %s",
    async (folder) => {
      expectOneLine(await serveInVain({ ASSAY_DATA_DIR: folder }), /The data folder .+ASSAY_DATA_DIR/);
    },
  );

  test.runIf(canMount)("on a disk that is mounted read-only", async () => {
    const disk = mountSmallDisk("1m");
    disk.makeReadOnly();
    expectOneLine(
      await serveInVain({ ASSAY_DATA_DIR: disk.path }),
      /is on a read-only disk: set ASSAY_DATA_DIR/,
    );
    const below = join(disk.path, "data");
    expectOneLine(await serveInVain({ ASSAY_DATA_DIR: below }), /is on a read-only disk: set ASSAY_DATA_DIR/);
  });

  test("in a newer format", async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, "format"), "2\n");
    const ended = await serveInVain({ ASSAY_DATA_DIR: dataDir });
    expectOneLine(
      ended,
      /was written by a newer version of Assay .*: run that version, or set ASSAY_DATA_DIR/,
    );
    expect(readFileSync(join(dataDir, "format"), "utf8")).toBe("2\n");
  });

  test("with an unreadable format is reported as damaged, not as newer", async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, "format"), "?\n");
    expectOneLine(
      await serveInVain({ ASSAY_DATA_DIR: dataDir }),
      /format.*damaged.*restore it from a backup/,
    );
  });

  test("whose control plane has a migration of a later version that this one cannot work with", async () => {
    const dataDir = await usedDataFolder();
    const control = new SqliteFile(join(dataDir, "control.sqlite"));
    control
      .prepare("INSERT INTO assay_migration (name, timestamp) VALUES (?, ?)")
      .run("9999-later", new Date().toISOString());
    control.prepare("UPDATE schema_compatibility SET readable_from = ?").run("9999-later");
    control.close();
    const ended = await serveInVain({ ASSAY_DATA_DIR: dataDir });
    expectOneLine(ended, /written by a newer version of Assay: start that version/);
  });

  test.each([
    { file: "master.key", content: "short\n" },
    { file: "master.key", content: "" },
    { file: "identity.key", content: "no key at all\n" },
    { file: "identity.key", content: "" },
    { file: "control.sqlite", content: "" },
    {
      file: "control.sqlite",
      content: "no database at all, and long enough to be read as one\n".repeat(100),
    },
  ])("with a damaged $file ($content.length characters)", async ({ file, content }) => {
    const dataDir = await usedDataFolder();
    writeFileSync(join(dataDir, file), content);
    expectOneLine(
      await serveInVain({ ASSAY_DATA_DIR: dataDir }),
      new RegExp(`${file}.*restore it from a backup`),
    );
    expect(readFileSync(join(dataDir, file), "utf8"), "left as it was").toBe(content);
  });

  test("whose event engine cannot open its folder", async () => {
    const dataDir = await usedDataFolder();
    rmSync(join(dataDir, "events"), { recursive: true });
    mkdirSync(join(dataDir, "events", "status"), { recursive: true });
    expectOneLine(
      await serveInVain({ ASSAY_DATA_DIR: dataDir }),
      /The embedded ClickHouse cannot open .+events: /,
    );
  });
});

describe("settings", () => {
  test.each<{ name: string; value: string; line: RegExp }>([
    { name: "ASSAY_PORT", value: "http", line: /ASSAY_PORT must be a whole number from 0 to 65535/ },
    { name: "ASSAY_HOST", value: "203.0.113.1", line: /203\.0\.113\.1 is not an address of this machine/ },
    { name: "ASSAY_MASTER_KEY", value: "c2hvcnQ=", line: /ASSAY_MASTER_KEY must be 32 bytes in base64/ },
    {
      name: "ASSAY_DATABASE_URL",
      value: "mysql://u:secret@db",
      line: /ASSAY_DATABASE_URL must be .*postgres:/,
    },
    {
      name: "ASSAY_IDENTITY",
      value: "clerk",
      line: /ASSAY_IDENTITY_ISSUER is missing: ASSAY_IDENTITY=clerk/,
    },
    { name: "ASSAY_BILLING_SECRET_KEY", value: "secret", line: /ASSAY_BILLING_WEBHOOK_SECRET is missing/ },
    { name: "ASSAY_JUDGE_API_KEY", value: "secret", line: /ASSAY_JUDGE_URL is missing: ASSAY_JUDGE_API_KEY/ },
    { name: "ASSAY_PROT", value: "8787", line: /ASSAY_PROT is not a setting of Assay: unset it, or see/ },
    { name: "ASSAY_QUEUE_URL", value: "http://queue", line: /ASSAY_QUEUE_URL must be an address .* nats:/ },
  ])("$name=$value", async ({ name, value, line }) => {
    const ended = await serveInVain({ ASSAY_DATA_DIR: temporaryFolder(), [name]: value });
    expectOneLine(ended, line);
    expect(ended.stderr).not.toContain("secret");
  });

  test.each([
    { name: "ASSAY_DATABASE_URL", url: "postgres://u:secret@127.0.0.1:1/assay" },
    { name: "ASSAY_EVENTS_URL", url: "http://u:secret@127.0.0.1:1" },
  ])("$name names a server that does not answer", async ({ name, url }) => {
    const ended = await serveInVain({ ASSAY_DATA_DIR: temporaryFolder(), [name]: url });
    expectOneLine(ended, new RegExp(name));
    expect(ended.stderr).not.toContain("secret");
  });
});

describe("the command line", () => {
  test("an unknown command is named, and the known ones are listed", async () => {
    const { code, stderr } = await runCli(["analyse"]);
    expect(stderr.split("\n")[0]).toBe('assay: "analyse" is not a command.');
    expect(stderr).toMatch(/^ {2}serve /m);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(2);
  });

  test.each([
    { args: ["session-token", "--role", "king"], line: /--role must be member, admin or owner/ },
    { args: ["session-token", "--email", "bad"], line: /--email must be an email address/ },
    { args: ["session-token", "--rolle", "owner"], line: /--rolle.*help/ },
    { args: ["analyze"], line: /Name the experiment: npm run assay -- analyze EXPERIMENT/ },
    { args: ["plan"], line: /Name the experiment, or a file.*: npm run assay -- plan EXPERIMENT/ },
    { args: ["plan", "e", "--days", "two"], line: /--days must be a number, not "two"/ },
    { args: ["plan", "e", "--baselines", "spent"], line: /--baselines must be NAME=VALUE or NAME=VALUE:SD/ },
    { args: ["plan", "--file", "absent.json"], line: /Cannot read absent\.json/ },
    { args: ["replay"], line: /Name the experiment: npm run assay -- replay EXPERIMENT/ },
    { args: ["hold"], line: /Name the experiment: npm run assay -- hold EXPERIMENT/ },
    { args: ["holdback"], line: /Name the experiment: npm run assay -- holdback EXPERIMENT/ },
    { args: ["resume", "--reason", "r"], line: /--reason.*help/ },
    // None of these acts on what only its first word names.
    { args: ["hold", "answer", "style"], line: /"style" is an extra argument/ },
    { args: ["holdback", "answer", "style", "--end"], line: /"style" is an extra argument/ },
    { args: ["nightly", "2026-11-20"], line: /"2026-11-20" is an extra argument/ },
    { args: ["migrate", "--from"], line: /'--from <value>' argument missing\. See/ },
    { args: ["doctor", "now"], line: /"now" is an extra argument/ },
  ])("$args", async ({ args, line }) => {
    expectOneLine(await runCli(args, { ASSAY_DATA_DIR: temporaryFolder() }), line);
  });

  test.each([[], ["absent.yaml"], ["--junit"]])(
    "rehearse %s ends with code 4, because 1 means that a treatment is worse",
    async (...args) => {
      const { code, stderr } = await runCli(["rehearse", ...args], { ASSAY_DATA_DIR: temporaryFolder() });
      expect(stderr).toMatch(/^assay: (Name the file|Cannot read|Option '--junit)[^\n]*\n$/);
      expect(code).toBe(4);
    },
  );

  test.each([["session-token"], ["nightly"], ["analyze", "any"]])(
    "%s when an identity provider signs sessions",
    async (...args) => {
      const env = {
        ASSAY_DATA_DIR: temporaryFolder(),
        ASSAY_IDENTITY: "oidc",
        ASSAY_IDENTITY_ISSUER: "https://id.example.org",
        ASSAY_IDENTITY_AUDIENCE: "assay",
        ASSAY_IDENTITY_JWKS_URL: "https://id.example.org/jwks",
      };
      expectOneLine(await runCli(args, env), /signed by https:\/\/id\.example\.org: set ASSAY_TOKEN/);
    },
  );

  testEmbedded("session-token with a damaged identity.key", async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, "identity.key"), "no key at all\n");
    const ended = await runCli(["session-token"], { ASSAY_DATA_DIR: dataDir });
    expectOneLine(ended, /identity\.key.*restore it from a backup/);
  });

  test.each([["nightly"], ["analyze", "any"]])("%s without a running service", async (...args) => {
    // No program of an ordinary user listens on port 1.
    const ended = await runCli(args, { ASSAY_DATA_DIR: temporaryFolder(), ASSAY_PORT: "1" });
    expectOneLine(ended, /Nothing answers at http:\/\/127\.0\.0\.1:1: start the service with npm start/);
  });

  test("analyze with an unknown experiment", async () => {
    const env = { ASSAY_DATA_DIR: running.dataDir, ASSAY_PORT: running.port };
    expectOneLine(
      await runCli(["analyze", "ghost"], env),
      /No experiment has the id or name "ghost"\. Existing experiments: none\./,
    );
  });
});

describe("doctor", () => {
  testEmbedded("finds a running service and everything else in order", async () => {
    const env = { ASSAY_DATA_DIR: running.dataDir, ASSAY_PORT: running.port };
    const { code, stdout, stderr } = await runCli(["doctor"], env);
    expect(stdout).toMatch(new RegExp(`✓ Service +runs on ${running.url} \\(all\\) and is ready`));
    expect(stdout).toMatch(/✓ Event engine +embedded: starts on this machine/);
    expect(stdout).toContain("Everything is in order.");
    expect(stdout).toMatch(new RegExp(`ASSAY_PORT +${running.port} `));
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("reports another program on the port, and how to fix it", async () => {
    const port = await listenAsAnotherProgram();
    const { code, stdout, stderr } = await runCli(["doctor"], {
      ASSAY_DATA_DIR: temporaryFolder(),
      ASSAY_PORT: port,
    });
    expect(stdout).toMatch(
      new RegExp(`✗ Service +another program listens on .+:${port}: stop it, or set ASSAY_PORT`),
    );
    expect(stdout).toContain("1 check failed.");
    expect([code, stderr]).toEqual([1, ""]);
  });

  test("reports a data folder that is a file and a judge that is not there, and still checks the rest", async () => {
    const file = join(temporaryFolder(), "data");
    writeFileSync(file, "");
    const judge = { ASSAY_JUDGE_URL: "http://127.0.0.1:9/v1", ASSAY_JUDGE_MODEL: "m" };
    const { code, stdout } = await runCli(["doctor"], { ASSAY_DATA_DIR: file, ASSAY_PORT: "1", ...judge });
    expect(stdout).toMatch(/✗ Data folder .*is not a folder: set ASSAY_DATA_DIR/);
    expect(stdout).toMatch(/✗ Judge .*cannot be reached.*: check ASSAY_JUDGE_URL/);
    expect(stdout).toMatch(/✓ Event engine/);
    expect(code).toBe(1);
  });
});
