import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";

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
