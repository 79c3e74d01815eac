import { createInterface } from "node:readline";
import { startProgram } from "./program.ts";

const MAIN = "apps/server/src/test-support/judge-server-main.ts";

/** A judge that takes the same time for every answer, in a process of its own. */
export interface BenchJudge {
  /** The address that `/chat/completions` follows. */
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
  /** Answers that it charged so far. */
  charged(): Promise<number>;
}

/** Starts a judge that answers after so long. The clean-up stops it. */
export async function startJudge(latencyMs: number): Promise<BenchJudge> {
  const { child } = startProgram([MAIN, String(latencyMs)]);
  if (child.stdout === null) throw new Error("The judge has no standard output.");
  for await (const line of createInterface({ input: child.stdout })) {
    const settings = JSON.parse(line) as Pick<BenchJudge, "url" | "apiKey" | "model">;
    child.stdout.resume();
    const counts = `${new URL(settings.url).origin}/counts`;
    return { ...settings, charged: async () => (await readCounts(counts)).charged };
  }
  throw new Error("The judge did not start.");
}

async function readCounts(url: string): Promise<{ readonly charged: number }> {
  return (await fetch(url)).json() as Promise<{ readonly charged: number }>;
}
