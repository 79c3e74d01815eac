import type { Day, Experiment } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { createJudging } from "../judging/judging-loop.ts";
import { openaiJudge } from "../judging/openai-judge.ts";
import { startDemoJudge } from "./demo-judge.ts";

const TIMEOUT_MS = 60_000;

/** The judging of a demo while it is loaded. */
export interface DemoJudging {
  /** Draws from a day's calls and has all of them judged. */
  judgeDay(day: Day): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the demo's own judge and the judging of the demo by it, on the same path as any other's. No plan bounds it, and no month
 * counts it: nothing is asked of a model.
 */
export async function startDemoJudging(demo: Experiment, deps: Deps): Promise<DemoJudging> {
  const judge = await startDemoJudge();
  const endpoint = await openaiJudge({ url: judge.url, model: judge.model, apiKey: null });
  const plans = { ...deps.plans, isEnforced: false };
  const judging = createJudging({ ...deps, plans, endpoint, onlyId: demo.id });
  return {
    judgeDay: (day) => judging.judgeDay(day, [demo], { timeoutMs: TIMEOUT_MS }),
    async close() {
      await judging.close();
      await judge.close();
    },
  };
}
