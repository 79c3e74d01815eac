import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { createVitest } from "vitest/node";
import { instrument } from "./instrument.ts";
import type { Finding, Job } from "./lane.ts";

declare module "vitest" {
  interface ProvidedContext {
    job: Job;
  }
}

/** The input of a run of lanes. */
export interface LanesJob {
  readonly root: string;
  /** Folder of the instrumented files. */
  readonly folder: string;
  readonly testFiles: readonly string[];
  readonly mutants: Job["mutants"];
  /** The text that replaces a source file, by path. */
  readonly sources: ReadonlyMap<string, string>;
  readonly lanes: number;
  /** Called once per mutant with the test file that noticed it, "stopped" if the mutant ended the process, or null. */
  readonly onResult: (id: number, killer: string | null) => void;
}

/** A lane that is silent for this long is in an endless loop that no counter sees. */
const SILENT_MS = 180_000;
const WATCH_MS = 500;
/** No test of these packages waits, but a mutant may leave a promise pending. */
const TEST_TIMEOUT_MS = 60_000;

/**
 * Runs the mutants in `lanes` processes of Vitest. A mutant that ends its process counts as killed, and the rest
 * continue.
 */
export async function runLanes(job: LanesJob): Promise<void> {
  let left = job.mutants;
  while (left.length > 0) {
    const done = await runOnce({ ...job, mutants: left });
    if (done.size === 0) throw new Error("No mutant was run: the lanes fail even without mutants.");
    left = left.filter(({ id }) => !done.has(id));
  }
}

/** Runs lanes until all mutants are done or one lane dies; returns the ids with a result. */
async function runOnce(job: LanesJob): Promise<ReadonlySet<number>> {
  // Unique per process, because lanes of a stopped run may still write for a moment.
  const folder = join(job.root, `.cache/mutate/lanes-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const readers = Array.from({ length: job.lanes }, (_, lane) =>
    makeReader(join(folder, `${lane}.jsonl`), job),
  );
  const vitest = await createVitest("test", {
    config: false,
    root: job.root,
    watch: false,
    pool: "forks",
    maxWorkers: job.lanes,
    testTimeout: TEST_TIMEOUT_MS,
    passWithNoTests: true,
    // Off, because the cache key does not include the mutants.
    fsModuleCache: false,
    reporters: [{}],
    projects: readers.map(({ log }, lane) => ({
      plugins: [
        {
          name: "mutants",
          enforce: "pre" as const,
          transform: (code: string, id: string) => transform(code, id, job),
        },
      ],
      test: {
        name: `lane-${lane}`,
        include: ["scripts/mutate/lane.ts"],
        runner: join(import.meta.dirname, "lane.ts"),
        provide: {
          job: {
            log,
            testFiles: job.testFiles.map((path) => join(job.root, path)),
            mutants: job.mutants.filter((_, index) => index % job.lanes === lane),
          },
        },
      },
    })),
  });
  const watch = setInterval(() => {
    for (const reader of readers) reader.read();
  }, WATCH_MS);
  try {
    await vitest.start();
  } finally {
    clearInterval(watch);
    await vitest.close();
  }
  process.exitCode = 0;
  const done = new Set(readers.flatMap((reader) => reader.finish()));
  rmSync(folder, { recursive: true });
  return done;
}

/** Replaces sources with their instrumented text, and limits the loops of their tests. */
function transform(code: string, id: string, { root, folder, sources }: LanesJob): string | undefined {
  const path = relative(root, id.replace(/\?.*/, ""));
  if (!path.startsWith(`${folder}/`) || !path.endsWith(".ts")) return undefined;
  return sources.get(path) ?? instrument(code, false).render(0);
}

/** Follows the log of a lane. */
function makeReader(log: string, { root, onResult }: LanesJob) {
  appendFileSync(log, "");
  const done: number[] = [];
  let lines = 0;
  let pid: number | null = null;
  let running: number | null = null;
  const settle = (id: number, killer: string | null) => {
    running = null;
    done.push(id);
    onResult(id, killer);
  };
  const take = (finding: Finding) => {
    if ("pid" in finding) pid = finding.pid;
    else if ("failsUnchanged" in finding)
      console.warn(`Left out because it fails without a mutation: ${finding.failsUnchanged}`);
    else if ("started" in finding) running = finding.id;
    else settle(finding.id, finding.killer && relative(root, finding.killer));
  };
  const read = () => {
    const whole = readFileSync(log, "utf8").split("\n").slice(0, -1);
    for (const line of whole.slice(lines)) take(JSON.parse(line));
    lines = whole.length;
    if (running !== null && pid !== null && Date.now() - statSync(log).mtimeMs > SILENT_MS) stop(pid);
  };
  return {
    log,
    read,
    /** Reads the rest of the log. A mutant that was still running stopped the process. */
    finish() {
      read();
      if (running !== null) settle(running, "stopped");
      return done;
    },
  };
}

function stop(pid: number) {
  if (existsSync(`/proc/${pid}`)) process.kill(pid, "SIGKILL");
}
