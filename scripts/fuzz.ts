// Fuzzes a real service with Schemathesis, with requests that its OpenAPI document allows and many that it does not:
// `npm run fuzz`. Options of `st run` may follow: `npm run fuzz -- --seed 7 --max-examples 500`.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { FuzzError } from "../fuzz/fuzz-error.ts";
import { startService } from "../fuzz/service.ts";
import { PROVIDER_SETTINGS, PROVIDER_WORLD, prepareWorld, type World } from "../fuzz/world.ts";
import { installVenv, VenvError } from "./python-venv.ts";

const ROOT = resolve(import.meta.dirname, "..");
const VENV = {
  python: "python3",
  requirements: join(ROOT, "fuzz/requirements.txt"),
  folder: join(ROOT, ".cache/fuzz/venv"),
};
/** The default run is reproducible; another seed gives another run. */
const DEFAULTS = ["--seed", "1", "--max-examples", "60"];
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "unsupported_method",
  "allow_header_conformance",
  "ignored_auth",
];
/** A nightly run over all experiments that the fuzzer created takes a while. */
const REQUEST_SECONDS = "300";
/** We set the credentials. Schemathesis's `ignored_auth` check removes and corrupts them itself. */
const FIXED = [
  ...["--checks", CHECKS.join(",")],
  ...["--generation-with-security-parameters", "false"],
  ...["--request-timeout", REQUEST_SECONDS],
];
/** A fuzzed identity provider cannot sign sessions, so a separate service receives its webhooks. */
const PROVIDER_PATHS = "^/v1/webhooks/";

interface Run {
  readonly url: string;
  readonly world: World;
  /** Folder for Schemathesis's files. */
  readonly folder: string;
  readonly options: readonly string[];
}

/** Runs Schemathesis over the service at `url` and resolves to its exit code. */
function runSchemathesis(st: string, { url, world, folder, options }: Run): Promise<number> {
  const args = ["run", `${url}/openapi.json`, ...FIXED, ...DEFAULTS, ...options];
  console.log(`st ${args.join(" ")}`);
  const hooks = {
    ASSAY_FUZZ_WORLD: JSON.stringify(world),
    SCHEMATHESIS_HOOKS: join(ROOT, "fuzz/hooks.py"),
  };
  const tester = spawn(st, args, { cwd: folder, env: { ...process.env, ...hooks }, stdio: "inherit" });
  // When it receives a signal, Schemathesis reports what it has found so far. Then the service stops cleanly.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => tester.kill(signal));
  return new Promise((done) => tester.once("exit", (code) => done(code ?? 1)));
}

interface Part {
  readonly settings: Readonly<Record<string, string>>;
  readonly world: World | null;
  readonly filter: readonly string[];
}

const PARTS: readonly Part[] = [
  { settings: {}, world: null, filter: ["--exclude-path-regex", PROVIDER_PATHS] },
  { settings: PROVIDER_SETTINGS, world: PROVIDER_WORLD, filter: ["--include-path-regex", PROVIDER_PATHS] },
];

/** Fuzzes one part on its own service; returns false when it found anything. */
async function fuzz(
  st: string,
  { settings, world, filter }: Part,
  extra: readonly string[],
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "assay-fuzz-"));
  try {
    const service = await startService(join(folder, "data"), settings);
    try {
      const options = [...filter, ...extra];
      const run = { url: service.url, world: world ?? (await prepareWorld(service)), folder, options };
      const code = await runSchemathesis(st, run);
      for (const line of service.failures()) console.error(line);
      return code === 0 && service.failures().length === 0;
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const st = join(await installVenv(VENV), "st");
  const extra = process.argv.slice(2);
  const ends: boolean[] = [];
  for (const part of PARTS) ends.push(await fuzz(st, part, extra));
  process.exitCode = ends.every(Boolean) ? 0 : 1;
} catch (error) {
  if (!(error instanceof FuzzError || error instanceof VenvError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
