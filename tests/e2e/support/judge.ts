import type { JudgeCounts } from "../../../apps/server/src/test-support/judge-server.ts";
import { type Environment, NODE, startProgram } from "./program.ts";
import { expectOk, send } from "./service.ts";
import { until } from "./until.ts";

const MAIN = "apps/server/src/test-support/judge-server-main.ts";

/** A judge in its own process, so that it outlives the services that use it. */
export interface Judge {
  /** The settings of a service that uses it. */
  readonly env: Environment;
  counts(): Promise<JudgeCounts>;
}

/** Starts a judge with a fixed delay per answer. */
export async function startJudge(latencyMs: number): Promise<Judge> {
  const program = startProgram(NODE, [MAIN, String(latencyMs)]);
  const line = await until("the judge listens", () => /^\{.*\}$/m.exec(program.stdout())?.[0]);
  const { url, apiKey, model } = JSON.parse(line) as Record<"url" | "apiKey" | "model", string>;
  return {
    env: { ASSAY_JUDGE_URL: url, ASSAY_JUDGE_API_KEY: apiKey, ASSAY_JUDGE_MODEL: model },
    counts: () => expectOk(send<JudgeCounts>(`${new URL(url).origin}/counts`, "GET")),
  };
}
