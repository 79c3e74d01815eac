// `npm run reliability`: breaks a deployment of several processes and servers under load, in every way that
// the suite knows, and writes the results into docs/reliability.md. `-- soak [minutes]` instead lets it run
// undisturbed and watches its memory.
import { setup as buildPrograms } from "../build-programs.ts";
import { cleanUp } from "../e2e/support/clean-up.ts";
import { faultsOf } from "./account.ts";
import { missingServer } from "./deployment.ts";
import { FAULTS } from "./faults.ts";
import { type FaultReport, playFault } from "./play-fault.ts";
import { faultChapter, writeChapter } from "./report.ts";
import { soak } from "./soak.ts";
import { openStage } from "./stage.ts";

const LOAD = { batchSize: 60, batchesPerSecond: 15 };
const TIMES = {
  loadMs: 3_000,
  restartMs: 3_000,
  postgresDownMs: 10_000,
  natsDownMs: 5_000,
  eventStoreDownMs: 60_000,
  frozenMs: 30_000,
};
const SOAK_MINUTES = 30;

const USAGE =
  "Usage: npm run reliability -- faults [part of a fault's name], or npm run reliability -- soak [minutes].";

/** Returns the work that the arguments ask for; null for unknown ones. */
function workOf([command = "faults", option = ""]: readonly string[]): (() => Promise<boolean>) | null {
  if (command === "soak") {
    const minutes = option === "" ? SOAK_MINUTES : Number(option);
    return minutes > 0 ? () => soak(minutes) : null;
  }
  const faults = FAULTS.filter(({ name }) => name.includes(option));
  return command === "faults" && faults.length > 0 ? () => playAll(faults) : null;
}

/** Returns whether the service lost nothing. Writes the report only if all faults were played. */
async function playAll(faults: typeof FAULTS): Promise<boolean> {
  const stage = await openStage({ ...LOAD, times: TIMES });
  const reports: FaultReport[] = [];
  for (const fault of faults) {
    const report = await playFault(fault, stage);
    reports.push(report);
    console.log(JSON.stringify({ ...report, found: faultsOf(report.account) }));
  }
  if (faults.length === FAULTS.length)
    await writeChapter("faults", await faultChapter(reports, { ...stage, load: LOAD }));
  return reports.every((report) => faultsOf(report.account).length === 0);
}

async function main(args: readonly string[]): Promise<number> {
  const work = workOf(args);
  if (work === null) {
    console.error(USAGE);
    return 2;
  }
  const missing = missingServer();
  if (missing !== null) {
    console.error(`reliability needs ${missing}.`);
    return 2;
  }
  await buildPrograms();
  try {
    return (await work()) ? 0 : 1;
  } finally {
    await cleanUp();
  }
}

// One Ctrl+C arrives several times, from the terminal and from each launcher. Only the first matters.
let isStopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (!isStopping) void cleanUp().finally(() => process.exit(1));
    isStopping = true;
  });
}
process.exit(await main(process.argv.slice(2)));
