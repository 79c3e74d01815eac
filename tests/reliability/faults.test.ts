import { afterAll, expect, test } from "vitest";
import { cleanUp } from "../e2e/support/clean-up.ts";
import { account, faultsOf, untilDrained } from "./account.ts";
import { missingServer } from "./deployment.ts";
import { FAULTS } from "./faults.ts";
import { strikeUnderLoad } from "./play-fault.ts";
import { openStage } from "./stage.ts";

/**
 * The short form of `npm run reliability`: every fault once, in sequence under one load, with one account at
 * the end.
 */
const LOAD = { batchSize: 30, batchesPerSecond: 5 };
const TIMES = {
  loadMs: 500,
  restartMs: 500,
  postgresDownMs: 2_000,
  natsDownMs: 2_000,
  eventStoreDownMs: 15_000,
  frozenMs: 20_000,
};
const LIMIT_MS = 480_000;

const missing = missingServer();
afterAll(cleanUp);

if (missing !== null) {
  console.warn(`NOT RUN: faults of several processes and servers. It needs ${missing}.`);
  test.skip(`NOT RUN: faults of several processes and servers (${missing} is not here)`, () => {});
} else {
  test(
    "events that two API processes acknowledged are stored and counted once, whatever fails meanwhile",
    async () => {
      const stage = await openStage({ ...LOAD, times: TIMES });
      const { deployment, sender } = stage;
      sender.start();
      for (const fault of FAULTS.filter(({ isPartOfAnother }) => !isPartOfAnother)) {
        sender.takeSeen();
        await strikeUnderLoad(fault, stage);
        const { longestGapsMs, failures } = sender.takeSeen();
        console.log(
          `${fault.name}: nothing acknowledged for ${longestGapsMs.map(Math.round).join(", ")} ms;`,
          failures,
        );
        if (fault.isPlanned) expect(Object.keys(failures).filter(isRefusal), fault.name).toEqual([]);
      }
      await sender.pause();
      await untilDrained(deployment);
      const books = await account(deployment, stage);
      expect(faultsOf(books)).toEqual([]);
      expect(books.acknowledged).toBeGreaterThan(5_000);
      for (const process of deployment.processes) await process.stop();
    },
    LIMIT_MS,
  );
}

/** An error answer, as opposed to a refused connection, which another process should take over. */
const isRefusal = (failure: string): boolean => /^\d{3}$/.test(failure);
