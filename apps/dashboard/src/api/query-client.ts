import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { connection } from "./connection.ts";
import { Problem } from "./problem.ts";

const RETRIES = 2;

/** Creates the query cache, which reports to `connection` whether the service answers and the session is valid. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: reportFailure, onSuccess: connection.answered }),
    mutationCache: new MutationCache({ onError: reportFailure, onSuccess: connection.answered }),
    defaultOptions: {
      queries: { staleTime: 10_000, retry: isWorthRetry, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });
}

function reportFailure(error: unknown): void {
  if (!(error instanceof Problem)) return;
  if (error.status === 0) connection.lost();
  if (error.status === 401) connection.sessionEnded();
}

/** Only failures that may be temporary: no answer, or storage that is briefly unavailable. */
function isWorthRetry(failures: number, error: unknown): boolean {
  return error instanceof Problem && [0, 502, 503].includes(error.status) && failures < RETRIES;
}
