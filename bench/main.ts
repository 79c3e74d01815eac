import { availableParallelism, cpus, totalmem } from "node:os";
import { benchAppend } from "./append.ts";
import { benchAssign } from "./assign.ts";
import { benchClient } from "./client.ts";
import { benchConfig } from "./config.ts";
import { benchDealBuckets } from "./deal-buckets.ts";
import { benchEvents } from "./events.ts";
import { benchGuard } from "./guard.ts";
import { cleanUp } from "./harness/cleanup.ts";
import { isTiny } from "./harness/sized.ts";
import { benchHostile } from "./hostile.ts";
import { benchIdle } from "./idle.ts";
import { benchImport } from "./import.ts";
import { benchJavaClient } from "./java-client.ts";
import { benchJudging } from "./judging.ts";
import { benchNightConversations } from "./night-conversations.ts";
import { benchNightUnits } from "./night-units.ts";
import { benchNightly } from "./nightly.ts";
import { benchOtlp } from "./otlp.ts";
import { benchPages } from "./pages.ts";
import { benchPermutation } from "./permutation.ts";
import { benchPipeline } from "./pipeline.ts";
import { benchPythonClient } from "./python-client.ts";
import { benchQueue } from "./queue.ts";
import { benchRivals } from "./rivals.ts";
import { benchShared } from "./shared.ts";
import { benchWrap } from "./wrap.ts";

const parts: Readonly<Record<string, () => Promise<void>>> = {
  assign: benchAssign,
  config: benchConfig,
  shared: benchShared,
  events: benchEvents,
  otlp: benchOtlp,
  queue: benchQueue,
  import: benchImport,
  pipeline: benchPipeline,
  append: benchAppend,
  guard: benchGuard,
  nightly: benchNightly,
  "night-units": benchNightUnits,
  "night-conversations": benchNightConversations,
  rivals: benchRivals,
  judging: benchJudging,
  permutation: benchPermutation,
  hostile: benchHostile,
  idle: benchIdle,
  client: benchClient,
  wrap: benchWrap,
  pages: benchPages,
  python: benchPythonClient,
  java: benchJavaClient,
  deal: benchDealBuckets,
};

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => parts[name] === undefined);
  if (unknown.length > 0) {
    console.error(
      `bench: unknown part ${unknown.join(", ")}; the parts are ${Object.keys(parts).join(", ")}.`,
    );
    return 2;
  }
  if (process.platform !== "linux") {
    console.error("bench needs Linux: it reads processor time and memory from /proc.");
    return 2;
  }
  printMachine();
  for (const [name, run] of Object.entries(parts)) {
    if (names.length > 0 && !names.includes(name)) continue;
    await run();
  }
  return 0;
}

function printMachine(): void {
  const memory = Math.round(totalmem() / 1024 ** 3);
  console.log(`# Bench of ${new Date().toISOString().slice(0, 16)}Z\n`);
  console.log(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${memory} GiB, Node ${process.versions.node}.`,
  );
  if (isTiny) console.log("BENCH_TINY is set: this only shows that the parts run. The figures mean nothing.");
  console.log(
    `Parts: ${Object.keys(parts).join(", ")}. To run some of them: \`npm run bench -- assign config\`.`,
  );
}

let isStopping = false;
function stop(code: number): void {
  // Ctrl+C arrives twice: from the terminal and from the launcher.
  if (isStopping) return;
  isStopping = true;
  void cleanUp().then(() => process.exit(code));
}
for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => stop(code));
// A failure that nobody waits for must not leave servers running.
process.on("uncaughtException", (error) => {
  if (!isStopping) console.error(error);
  stop(1);
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // A failure because a server was just stopped needs no report.
  if (!isStopping) console.error(error);
  process.exitCode = 1;
} finally {
  if (!isStopping) {
    await cleanUp();
    process.exit();
  }
}
