import type { Wire } from "../../api/types.ts";

export type Category = Wire<"Feedback">["category"];

/** What each kind of feedback is called. */
export const CATEGORY_WORDS: Readonly<Record<Category, string>> = {
  bug: "Something is broken",
  idea: "Idea",
  question: "Question",
  other: "Something else",
};

export const CATEGORIES: readonly Category[] = ["bug", "idea", "question", "other"];
