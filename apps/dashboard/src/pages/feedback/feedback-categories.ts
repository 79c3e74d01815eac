import type { Wire } from "../../api/types.ts";

export type Category = Wire<"Feedback">["category"];

/** The categories in words. */
export const CATEGORY_WORDS: Readonly<Record<Category, string>> = {
  bug: "Something is broken",
  idea: "Idea",
  question: "Question",
  other: "Something else",
};

export const CATEGORIES: readonly Category[] = ["bug", "idea", "question", "other"];
