import type { Deps } from "../deps.ts";
import type { JudgingLoop } from "../judging/judging-loop.ts";

/** What the background work needs: the judging with its loop. */
export type WorkerDeps = Deps & { readonly judging: JudgingLoop };
