import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");

interface Rule {
  /** Packages of ours that this one may import. */
  readonly ours: readonly string[];
  /** Pure packages import neither npm packages nor the runtime, and read no clock and no dice. */
  readonly isPure?: boolean;
}

/** Who may import whom; everything else is forbidden. Folder by package. */
const rules: Readonly<Record<string, Rule>> = {
  "packages/bucketing": { ours: [], isPure: true },
  "packages/stats": { ours: [], isPure: true },
  "packages/domain": { ours: ["bucketing", "stats"], isPure: true },
  "packages/pipeline": { ours: ["domain", "stats"], isPure: true },
  "packages/contract": { ours: ["domain"] },
  "packages/storage": { ours: ["domain", "stats"] },
  "apps/server": { ours: ["bucketing", "contract", "domain", "pipeline", "storage"] },
  "apps/cli": { ours: ["client", "contract", "domain", "server"] },
  // It knows the API by the types made from the OpenAPI document, as any other caller would.
  "apps/dashboard": { ours: [] },
  "clients/typescript": { ours: ["bucketing"] },
  "clients/openfeature": { ours: ["client"] },
  "clients/react": { ours: ["client"] },
  "clients/scenario-server": { ours: [] },
};

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** Neither what is installed or built, nor what other tests are building at this moment. */
const isMade = (path: string) => /(^|\/)(node_modules|dist|target|schema\.d\.ts|\.[^/]+)$/.test(path);

function readSources(): readonly SourceFile[] {
  return globSync("{packages,apps,clients}/**/*.{ts,tsx}", { cwd: root, exclude: isMade }).map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, imports: importsOf(text) };
  });
}

function importsOf(text: string): readonly string[] {
  const statements = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^"';]*?from\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|(?:^|\n)import\s+"([^"]+)"/g,
  );
  return [...statements].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? "");
}

/** A package of ours without the entry point after its name. */
const ourPackage = (name: string) => name.split("/").slice(0, 2).join("/");

const sources = readSources();
const isTest = ({ path }: SourceFile) => /\.test\.tsx?$|\/contract-tests\/|\/test-support\//.test(path);
const shipped = sources.filter((file) => !isTest(file));
const packageOf = (path: string) => Object.keys(rules).find((folder) => path.startsWith(`${folder}/`));

test("every source file belongs to a package with a rule", () => {
  expect(shipped.length).toBeGreaterThan(100);
  expect(shipped.filter(({ path }) => packageOf(path) === undefined).map(({ path }) => path)).toEqual([]);
});

describe.each(Object.entries(rules))("%s", (folder, { ours }) => {
  const files = shipped.filter(({ path }) => path.startsWith(`${folder}/`));

  test("imports only the packages it may", () => {
    const allowed = ours.map((name) => `@assay/${name}`);
    const faults = files.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.startsWith("@assay/") && !allowed.includes(ourPackage(name)))
        .map((name) => `${path} → ${name}`),
    );
    expect(faults).toEqual([]);
  });

  test("imports no other package by path", () => {
    const faults = files.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.startsWith("."))
        .filter((name) => relative(folder, join(dirname(path), name)).startsWith(".."))
        .map((name) => `${path} → ${name}`),
    );
    expect(faults.filter((fault) => !fault.endsWith("vectors"))).toEqual([]);
  });
});

describe.each(Object.entries(rules).filter(([, rule]) => rule.isPure))("%s", (folder) => {
  const files = shipped.filter(({ path }) => path.startsWith(`${folder}/`));

  test("is pure: no npm package, no runtime, no clock, no random source", () => {
    const foreign = files.flatMap(({ path, imports }) =>
      imports
        .filter((name) => !name.startsWith(".") && !name.startsWith("@assay/"))
        .map((name) => `${path} → ${name}`),
    );
    const impure = files.filter(({ text }) => /Date\.now\(|Math\.random\(|new Date\(\)|process\./.test(text));
    expect(foreign).toEqual([]);
    expect(impure.map(({ path }) => path)).toEqual([]);
  });
});

test("only the composition roots know the engines: the service's, that of its pipeline threads, and that of a move", () => {
  const faults = shipped.filter(
    ({ path, imports }) => path.startsWith("apps/") && imports.map(ourPackage).includes("@assay/storage"),
  );
  expect(faults.map(({ path }) => path).sort()).toEqual([
    "apps/server/src/engines/open-engines.ts",
    "apps/server/src/engines/probe-engines.ts",
    "apps/server/src/main.ts",
    "apps/server/src/move/move-folder.ts",
    "apps/server/src/move/open-servers.ts",
    "apps/server/src/pipeline/pipeline-worker.ts",
  ]);
});

test("the service reads no environment: settings come in as a value", () => {
  const faults = shipped.filter(
    ({ path, text }) => path.startsWith("apps/server/") && /process\.env/.test(text),
  );
  expect(faults.map(({ path }) => path)).toEqual([]);
});

test("a plane imports no other plane", () => {
  const plane = (path: string) => /apps\/server\/src\/planes\/([^/]+)\//.exec(path)?.[1];
  const faults = shipped.flatMap(({ path, imports }) => {
    const own = plane(path);
    if (own === undefined) return [];
    const others = imports
      .map((name) => plane(join(dirname(path), name)))
      .filter((other) => other !== undefined && other !== own);
    return others.map((other) => `${path} → ${other}`);
  });
  expect(faults).toEqual([]);
});

/** The rooms of the pipeline, lowest first. A room imports lower ones only, and files below all rooms; `plan` and `guard` stand apart from `run`. */
const PIPELINE_ROOMS: Readonly<Record<string, readonly string[]>> = {
  compare: [],
  judge: ["compare"],
  health: ["judge", "compare"],
  decide: ["compare"],
  run: ["decide", "health", "judge", "compare"],
  replay: ["run", "health", "judge", "compare"],
  holdback: ["run", "health", "compare"],
  plan: ["compare"],
  guard: ["plan"],
  rehearse: ["plan", "judge", "compare"],
};

test("the pipeline's folders import in one direction", () => {
  const room = (path: string) => /^packages\/pipeline\/src\/(?:([^/]+)\/)?[^/]+$/.exec(path)?.[1];
  const files = shipped.filter(({ path }) => path.startsWith("packages/pipeline/src/"));
  const faults = files.flatMap(({ path, imports }) => {
    const own = room(path);
    // The package's index stands above all rooms, and the other files beside it below them.
    if (path.endsWith("/index.ts")) return [];
    const allowed = own === undefined ? [] : PIPELINE_ROOMS[own];
    return imports
      .filter((name) => name.startsWith("."))
      .map((name) => room(join(dirname(path), name)))
      .filter((other) => other !== undefined && other !== own && allowed?.includes(other) !== true)
      .map((other) => `${path} → ${other}`);
  });
  const rooms = new Set(files.map(({ path }) => room(path)).filter((name) => name !== undefined));
  expect([...rooms].sort()).toEqual(Object.keys(PIPELINE_ROOMS).sort());
  expect(faults).toEqual([]);
});

/** What `#name` stands for in a package: every file that one of its conditions gives. */
function aliasesOf(folder: string): ReadonlyMap<string, readonly string[]> {
  const { imports = {} } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
    readonly imports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  return new Map(
    Object.entries(imports).map(([name, targets]) => [
      name,
      Object.values(targets).map((target) => join(folder, target)),
    ]),
  );
}

test("no import cycles, neither through types nor through aliases", () => {
  const manifests = globSync("{packages,apps,clients}/*/package.json", { cwd: root });
  const aliases = new Map(manifests.map((path) => [dirname(path), aliasesOf(dirname(path))]));
  const targetsOf = (path: string, name: string): readonly string[] => {
    if (name.startsWith(".")) return [join(dirname(path), name)];
    return aliases.get(packageOf(path) ?? "")?.get(name) ?? [];
  };
  const edges = new Map(
    shipped.map(({ path, imports }) => [path, imports.flatMap((name) => targetsOf(path, name))]),
  );
  expect(edges.get("clients/typescript/src/core-client.ts")).toContain(
    "clients/typescript/src/platform/node.ts",
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    else if (!done.has(path)) {
      for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    }
  };
  for (const path of edges.keys()) visit(path, []);
  expect(circles).toEqual([]);
});

test("no file is longer than 400 lines", () => {
  const long = sources.filter(({ text }) => text.split("\n").length > 401);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test("no file suppresses the compiler or the linter", () => {
  const escapes =
    /\bas any[;,)\]>.]|: any[;,)\]>=]|<any>|@ts-ignore|@ts-expect-error|@ts-nocheck|biome-ignore/;
  expect(sources.filter(({ text }) => escapes.test(text)).map(({ path }) => path)).toEqual([]);
});

/** The clients in other languages: what the folder's files may import besides themselves. */
const foreign = [
  {
    folder: "clients/python/src",
    extension: ".py",
    imports: /^\s*(?:import (?=[\w., ]+(?:#.*)?$)|from (?=[\w.]+ import\b))([A-Za-z_]\w*)/gm,
    isAllowed: (name: string, path: string) =>
      PYTHON_LIBRARY.has(name) ||
      FRAMEWORKS[path] === name ||
      // Type checkers bring it, and these modules import it for them alone.
      (name === "typing_extensions" && FRAMEWORKS[path] !== undefined),
  },
  {
    folder: "clients/java/src/main",
    extension: ".java",
    imports: /^import (?:static )?([\w.]+)/gm,
    isAllowed: (name: string) => /^(java|javax\.net|dev\.assay)\./.test(name),
  },
];
/** The modules that are imported only by applications that have the framework. */
const INTEGRATIONS = "clients/python/src/assay/integrations";
const FRAMEWORKS: Readonly<Record<string, string>> = {
  [`${INTEGRATIONS}/langchain.py`]: "langchain_core",
  [`${INTEGRATIONS}/litellm.py`]: "litellm",
  [`${INTEGRATIONS}/llama_index.py`]: "llama_index",
  [`${INTEGRATIONS}/openai_agents.py`]: "agents",
  [`${INTEGRATIONS}/openfeature.py`]: "openfeature",
  [`${INTEGRATIONS}/pydantic_ai.py`]: "pydantic_ai",
};
/** The parts of Python's library that the client uses. */
const PYTHON_LIBRARY = new Set(
  (
    "__future__ asyncio atexit base64 bisect collections contextvars copy dataclasses datetime email fcntl functools hashlib http io " +
    "itertools json logging math numbers os random re selectors signal socket ssl struct sys threading time types typing " +
    "urllib weakref"
  ).split(" "),
);

describe.each(foreign)("$folder", ({ folder, extension, imports, isAllowed }) => {
  const files = globSync(join(root, folder, "**", `*${extension}`)).map((path) => ({
    path: relative(root, path),
    text: readFileSync(path, "utf8"),
  }));

  test("depends only on the language's own library, and on a framework in its module", () => {
    expect(files.length).toBeGreaterThan(20);
    const faults = files.flatMap(({ path, text }) =>
      [...text.matchAll(imports)]
        .map(([, name = ""]) => name)
        .filter((name) => !isAllowed(name, path))
        .map((name) => `${path} → ${name}`),
    );
    expect(faults).toEqual([]);
  });
});

test("no file in another language is longer than 400 lines", () => {
  const files = [
    "clients/python/{src,tests}/**/*.py",
    "clients/java/src/**/*.java",
    "{bench,examples}/**/*.{py,java}",
  ];
  const long = globSync(files, { cwd: root }).filter(
    (path) => readFileSync(join(root, path), "utf8").split("\n").length > 401,
  );
  expect(long).toEqual([]);
});
