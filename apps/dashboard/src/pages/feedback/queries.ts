import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";

const PAGE = 20;

/** The org's feedback, newest first. */
export const feedbackQuery = () =>
  infiniteQueryOptions({
    queryKey: ["feedback"],
    queryFn: ({ pageParam }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return unwrap(api.GET("/v1/feedback", { params: { query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export type Category = Wire<"Feedback">["category"];

/** The categories in words. */
export const CATEGORY_WORDS: Readonly<Record<Category, string>> = {
  bug: "Something is broken",
  idea: "Idea",
  question: "Question",
  other: "Something else",
};

export const CATEGORIES: readonly Category[] = ["bug", "idea", "question", "other"];
