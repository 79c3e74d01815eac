import { createInterface } from "node:readline";
import { startProgram } from "./program.ts";

const MAIN = "apps/server/src/test-support/judge-server-main.ts";

/** A judge in a separate process that takes the same time for every answer. */
export interface BenchJudge {
  /** The base URL; `/chat/completions` is appended. */
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
  /** Number of answers so far. */
  charged(): Promise<number>;
}

/** Starts a judge that answers after this delay. The cleanup stops it. */
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
