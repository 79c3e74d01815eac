import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { buildPackage as buildClient } from "../../typescript/scripts/build.ts";
import { buildPackage } from "../scripts/build.ts";

const PACKAGE = resolve(import.meta.dirname, "..");
const APP = join(import.meta.dirname, "next");
const FOLDER = resolve(PACKAGE, "../../node_modules/.cache/next-app");
const NEXT = join(FOLDER, "node_modules/next/dist/bin/next");

/** Builds the application below `next`, with the files that the README shows and the published packages. */
export async function buildNextApp(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const manifest = readFileSync(join(APP, "package.json"), "utf8");
  const installed = join(FOLDER, "package.json");
  if (!existsSync(NEXT) || readFileSync(installed, "utf8") !== manifest) {
    writeFileSync(installed, manifest);
    run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"]);
    writeFileSync(installed, manifest);
  }
  for (const made of ["app", ".next"]) rmSync(join(FOLDER, made), { recursive: true, force: true });
  cpSync(APP, FOLDER, { recursive: true });
  const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
  for (const [, name = "", code = ""] of readme.matchAll(
    /```tsx?\n\/\/ ((?:app\/|inst)\S+)\n([\s\S]*?)```/g,
  )) {
    mkdirSync(dirname(join(FOLDER, name)), { recursive: true });
    writeFileSync(join(FOLDER, name), code);
  }
  await buildClient(join(FOLDER, "node_modules/@assay/client"));
  await buildPackage(join(FOLDER, "node_modules/@assay/react"));
  run(process.execPath, [NEXT, "build"]);
}

function run(program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: FOLDER,
    encoding: "utf8",
    env: { ...environment, NODE_ENV: "production" },
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}\n${stdout}\n${stderr}`);
}

const environment = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_COMPILE_CACHE: "" };

/** A started Next.js server. */
export interface NextServer {
  readonly url: string;
  /** Sends SIGTERM and returns the exit code. */
  terminate(): Promise<unknown>;
}

/** Starts the built application. */
export async function startNextApp(variables: Readonly<Record<string, string>>): Promise<NextServer> {
  const child = spawn(process.execPath, [NEXT, "start", "--port", "0"], {
    cwd: FOLDER,
    env: { ...environment, NODE_ENV: "production", ...variables },
  });
  return {
    url: await addressOf(child),
    async terminate() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = await ended;
      return code;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((found, fail) => {
    let printed = "";
    const read = (text: Buffer) => {
      printed += text;
      const address = /http:\/\/localhost:[1-9]\d*/.exec(printed)?.[0];
      if (address !== undefined && printed.includes("Ready")) found(address);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", () => fail(new Error(printed)));
  });
}
