// Runs in a test process of Vitest. It finds out which tests reach which mutants, then runs each mutant of the job
// against these tests until one fails.
import { appendFileSync } from "node:fs";
import fc from "fast-check";
import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, TestRunner, vi } from "vitest";
import { startTests } from "vitest/internal/browser";

/** The work of one process. */
export interface Job {
  /** The file for its findings, one `Finding` per line. */
  readonly log: string;
  readonly testFiles: readonly string[];
  readonly mutants: readonly JobMutant[];
}

interface JobMutant {
  readonly id: number;
  /** Number of the first mutant of its place. All mutants of a place are reached together. */
  readonly place: number;
  /** Its source file, from the root of the repository. */
  readonly path: string;
  /** The places of its source file. */
  readonly places: readonly number[];
  /** The test file next to the source file. It runs first. */
  readonly ownTest: string;
}

/** A report of a process: the start of a mutant's run, or its end with the test file that noticed it, or null. */
export type Finding =
  | { readonly pid: number }
  | { readonly failsUnchanged: string }
  | { readonly id: number; readonly started: true }
  | { readonly id: number; readonly killer: string | null };

/** The switch that the instrumented sources read. */
const mutants = {
  active: -1,
  /** The places reached, while they are recorded. */
  reached: null as Set<number> | null,
  ticksLeft: Number.POSITIVE_INFINITY,
  at(first: number, last: number): boolean {
    if (this.reached !== null) this.reached.add(first);
    return this.active >= first && this.active <= last;
  },
  tick(): void {
    this.ticksLeft -= 1;
    if (this.ticksLeft < 0) throw new Error("The mutant loops forever.");
  },
};
Object.assign(globalThis, { __mutants: mutants });

/** A run may loop this many times as often as the unchanged code. */
const MORE_LOOPS = 20;
const LEAST_LOOPS = 200_000;

interface Reach {
  readonly places: ReadonlySet<number>;
  readonly loops: number;
  readonly ms: number;
}

interface TestFile {
  readonly path: string;
  /** The places that importing the file reaches. Any of its tests may notice such a mutant. */
  readonly imports: Reach;
  /** Everything that at least one of its tests reaches. */
  readonly places: ReadonlySet<number>;
  /** By test id. */
  readonly tests: ReadonlyMap<string, Reach>;
}

const limitOf = ({ loops }: Reach): number => loops * MORE_LOOPS + LEAST_LOOPS;
const reaches = ({ places }: Pick<Reach, "places">, { place }: JobMutant): boolean => places.has(place);

/** The part of Vitest's module runner that the lane uses. */
interface Modules {
  readonly evaluatedModules: {
    readonly idToModuleMap: ReadonlyMap<string, ModuleNode>;
    getModuleById(path: string): ModuleNode | undefined;
  };
  cachedModule(url: string, importer?: string): Promise<ModuleNode>;
  cachedRequest(url: string, node: ModuleNode): Promise<unknown>;
}

interface ModuleNode {
  readonly id: string;
  readonly url: string;
  /** Ids of what it imports. */
  readonly imports: ReadonlySet<string>;
  promise?: Promise<unknown> | undefined;
  exports?: unknown;
  evaluated: boolean;
}

const UNLOADED = { promise: undefined, exports: undefined, evaluated: false };

/** Caches each module's answer, which is always the same. Otherwise each evaluation would ask the server again. */
function rememberModules(modules: Modules): void {
  const known = new Map<string, ModuleNode>();
  const ask = modules.cachedModule.bind(modules);
  modules.cachedModule = async (url, importer) => {
    const key = `${importer} ${url}`;
    const node = known.get(key) ?? (await ask(url, importer));
    known.set(key, node);
    return node;
  };
}

/**
 * Runs `run` with fresh copies of a source file and of every module that imports it, and then puts the loaded ones
 * back. Modules that do not depend on the file are not evaluated again.
 */
async function withFresh<T>(path: string, modules: Modules, run: () => Promise<T>): Promise<T> {
  const nodes = [...modules.evaluatedModules.idToModuleMap.values()];
  const stale = new Set(nodes.filter(({ id }) => id.endsWith(`/${path}`)));
  // The loop also visits members added during iteration.
  for (const { id } of stale) for (const node of nodes) if (node.imports.has(id)) stale.add(node);
  const loaded = [...stale].map((node) => {
    const { promise, exports, evaluated } = node;
    Object.assign(node, UNLOADED);
    return { node, state: { promise, exports, evaluated } };
  });
  try {
    return await run();
  } finally {
    for (const { node, state } of loaded) Object.assign(node, state);
  }
}

/** Runs test files as often as needed, without reporting to Vitest. */
class InnerRunner extends TestRunner {
  onFileStart: () => void = () => undefined;
  onFileEnd: () => void = () => undefined;
  onTestStart: (test: RunnerTask) => void = () => undefined;
  onTestEnd: (test: RunnerTestCase) => void = () => undefined;

  onBeforeRunFiles: (files: readonly RunnerTestFile[]) => void = () => undefined;

  override importFile(path: string, source: "collect" | "setup") {
    this.onFileStart();
    const modules: Modules = Reflect.get(this, "moduleRunner");
    const node = modules.evaluatedModules.getModuleById(path);
    if (node === undefined) return super.importFile(path, source);
    Object.assign(node, UNLOADED);
    return modules.cachedRequest(node.url, node);
  }
  /** There are no snapshots to report. */
  override async onAfterRunSuite() {}
  onCollected() {
    this.onFileEnd();
  }
  override async onBeforeRunTask(test: RunnerTask) {
    this.onTestStart(test);
    await super.onBeforeRunTask(test);
  }
  override onAfterRunTask(test: RunnerTask) {
    super.onAfterRunTask(test);
    this.onTestEnd(test as RunnerTestCase);
  }
}

/** The runner that Vitest starts. Its only "test file" is this one; the lane runs before collecting it. */
export default class LaneRunner extends TestRunner {
  async onBeforeCollect() {
    const job: Job = this.injectValue("job");
    const log = (finding: Finding) => appendFileSync(job.log, `${JSON.stringify(finding)}\n`);
    log({ pid: process.pid });
    // The same cases in every run, stopping at the first failure.
    fc.configureGlobal({ seed: 1, endOnFailure: true });
    rememberModules(Reflect.get(this, "moduleRunner"));
    const makeRunner = () => {
      const runner = new InnerRunner(this.config);
      Object.defineProperty(runner, "moduleRunner", Object.getOwnPropertyDescriptor(this, "moduleRunner")!);
      Object.assign(runner, { _otel: Reflect.get(this, "_otel") });
      return runner;
    };
    const files: TestFile[] = [];
    for (const path of job.testFiles) files.push(await recordReach(path, makeRunner(), log));
    mutants.reached = null;
    for (const mutant of job.mutants) {
      log({ id: mutant.id, started: true });
      log({ id: mutant.id, killer: await findKiller(mutant, files, makeRunner) });
    }
  }

  override importFile() {}
}

/** Runs a test file unchanged. Tests that fail unchanged are left out. */
async function recordReach(
  path: string,
  runner: InnerRunner,
  log: (finding: Finding) => void,
): Promise<TestFile> {
  const tests = new Map<string, Reach>();
  let startedAt = 0;
  let imports: Reach | null = null;
  const start = () => {
    startedAt = performance.now();
    mutants.reached = new Set();
    mutants.ticksLeft = Number.MAX_SAFE_INTEGER;
  };
  const end = (): Reach => {
    const loops = Number.MAX_SAFE_INTEGER - mutants.ticksLeft;
    return { places: mutants.reached ?? new Set(), loops, ms: performance.now() - startedAt };
  };
  runner.onFileStart = start;
  runner.onFileEnd = () => {
    imports = end();
  };
  runner.onTestStart = start;
  runner.onTestEnd = (test) => {
    if (test.result?.state === "pass") tests.set(test.id, end());
    else log({ failsUnchanged: `${path}: ${test.name}` });
  };
  vi.resetModules();
  await startTests([path], runner);
  const places = new Set([...tests.values()].flatMap((test) => [...test.places]));
  return { path, imports: imports ?? end(), places, tests };
}

/** Returns the test file that notices the mutant, or null. */
async function findKiller(
  mutant: JobMutant,
  files: readonly TestFile[],
  makeRunner: () => InnerRunner,
): Promise<string | null> {
  mutants.active = mutant.id;
  try {
    for (const file of sortFiles(mutant, files))
      if (await isNoticed(mutant, file, makeRunner())) return file.path;
    return null;
  } finally {
    mutants.active = -1;
  }
}

/** Returns the files that reach the mutant: its own test file, then those whose tests use its source file; fast ones first. */
function sortFiles(mutant: JobMutant, files: readonly TestFile[]): readonly TestFile[] {
  return files
    .filter((file) => reaches(file.imports, mutant) || reaches(file, mutant))
    .map((file) => {
      const isUser = mutant.places.some((place) => file.places.has(place));
      const rank = file.path.endsWith(mutant.ownTest) ? 0 : isUser ? 1 : 2;
      return { file, rank, ms: [...file.tests.values()].reduce((sum, { ms }) => sum + ms, 0) };
    })
    .sort((one, other) => one.rank - other.rank || one.ms - other.ms)
    .map(({ file }) => file);
}

async function isNoticed(mutant: JobMutant, file: TestFile, runner: InnerRunner): Promise<boolean> {
  const isStatic = reaches(file.imports, mutant);
  let isFailed = false;
  runner.onFileStart = () => {
    mutants.ticksLeft = limitOf(file.imports);
  };
  runner.onTestStart = (test) => {
    const reach = file.tests.get(test.id);
    if (isFailed || reach === undefined || !(isStatic || reaches(reach, mutant))) test.mode = "skip";
    else mutants.ticksLeft = limitOf(reach);
  };
  runner.onTestEnd = (test) => {
    isFailed ||= test.result?.state === "fail";
  };
  runner.onBeforeRunFiles = (files) => {
    for (const suite of files) sortTasks(suite, file);
  };
  // Fresh for every mutant, because a module may cache what it computed without the mutant or with the previous one.
  const modules: Modules = Reflect.get(runner, "moduleRunner");
  const results = await withFresh(mutant.path, modules, () => startTests([file.path], runner));
  return isFailed || results.some(({ result }) => result?.state === "fail");
}

/** Puts fast tests first. */
function sortTasks(suite: { tasks: RunnerTask[] }, file: TestFile): number {
  const costs = new Map(
    suite.tasks.map((task) => [
      task,
      task.type === "suite" ? sortTasks(task, file) : (file.tests.get(task.id)?.ms ?? 0),
    ]),
  );
  suite.tasks.sort((one, other) => (costs.get(one) ?? 0) - (costs.get(other) ?? 0));
  return Math.min(...costs.values());
}
