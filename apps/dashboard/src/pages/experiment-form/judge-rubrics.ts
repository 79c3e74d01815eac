import type { Scale } from "../../format/scores.ts";

/** An example rubric for each scale: what decides, and what must not. */
export const STARTER_RUBRICS: Readonly<Record<Scale, string>> = {
  pass_fail: `Pass when the answer does what the user asked, is correct as far as you can tell, and can be used as it stands.
Fail when it is wrong, makes something up, leaves a part of the question open, or is rude.
Length and style alone do not count: a short answer that is complete passes.`,
  "1-5": `5: correct and complete; nothing to add.
4: correct; a small part is missing or unclear.
3: helps, but the user has to ask again or check it.
2: mostly wrong or off topic.
1: wrong, made up, or no answer.
Length and style alone do not count.`,
  "0-1": `Give the share of what the user asked for that the answer gets right: 1 for all of it, 0.5 for half, 0 for none.
Made-up content counts against it. Length and style alone do not count.`,
};
