import type { JudgeSettings } from "../settings/judge-settings.ts";
import type { JudgeQuestion, JudgeReply } from "./judge-endpoint.ts";
import { openaiJudge } from "./openai-judge.ts";

const QUESTION: Omit<JudgeQuestion, "signal"> = {
  judge: { rubric: "The answer greets.", scale: "pass_fail", sampleRate: 1 },
  judged: { input: "Hello", answer: "Hello!" },
  idempotencyKey: "assay-doctor",
};

/**
 * Checks that answers can be scored, by judging one short answer for a few hundred tokens. Throws an error whose message says how to
 * fix it.
 */
export async function probeJudge(settings: JudgeSettings | null): Promise<string> {
  if (settings === null) return "none: quality metrics are not scored";
  const judge = await openaiJudge(settings);
  const reply = await judge.ask({ ...QUESTION, signal: new AbortController().signal });
  if (reply.kind === "scored") return `${judge.model} at ASSAY_JUDGE_URL gives scores`;
  throw new Error(remedy(reply));
}

function remedy(reply: Exclude<JudgeReply, { readonly kind: "scored" }>): string {
  switch (reply.kind) {
    case "fault":
      return reply.detail;
    case "transient":
      return reply.cause === "unreachable" || reply.cause === "timed-out"
        ? `${reply.detail}: check ASSAY_JUDGE_URL and the network.`
        : `${reply.detail}. Judgements wait until it accepts them again.`;
    case "rejected":
      return `${reply.detail}: ASSAY_JUDGE_MODEL must be a model for chat completions.`;
    case "refused":
    case "malformed":
      return `${reply.detail} ASSAY_JUDGE_MODEL must be a model that follows instructions.`;
    case "aborted":
      return "The judge was not asked.";
  }
}
