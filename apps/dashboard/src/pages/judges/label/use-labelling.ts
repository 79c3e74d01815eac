import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, unwrap } from "../../../api/client.ts";
import { Problem } from "../../../api/problem.ts";
import type { Wire } from "../../../api/types.ts";
import { judgeKey } from "../queries.ts";
import { arrive, EMPTY_SESSION, label, type MadeLabel, undo } from "./label-session.ts";
import { outbox, useOutbox } from "./tab-outbox.ts";

/** Calls per batch. */
const BATCH = 20;
/** With this many calls left, the next batch loads. */
const AHEAD = 6;
const RETRY_MS = 5_000;

function labelQueue(id: string, metric: string) {
  return queryOptions({
    queryKey: ["label-queue", id, metric],
    queryFn: () =>
      unwrap(
        api.GET("/v1/experiments/{id}/labels/queue", {
          params: { path: { id }, query: { metric, limit: BATCH } },
        }),
      ),
    // A cached batch is outdated after other labels.
    gcTime: 0,
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state: { error } }) => (isPassing(error) ? RETRY_MS : false),
  });
}

/** Returns whether a retry may succeed without any action. */
const isPassing = (error: Error | null) =>
  error instanceof Problem && (error.status === 0 || error.status >= 500);

/** One session of a judge's queue: the calls, the labels made, and their sending. */
export function useLabelling(id: string, metric: string) {
  const query = useQuery(labelQueue(id, metric));
  const { data, isFetching, isError, refetch } = query;
  const [session, setSession] = useState(EMPTY_SESSION);
  const [arrived, setArrived] = useState<Wire<"LabelQueue"> | null>(null);
  useStoredLabels(id, metric);
  useEffect(() => {
    if (data === undefined) return;
    setSession((before) => arrive(before, data.items, unsentOf(id, metric)));
    setArrived(data);
  }, [data, id, metric]);
  const isShort = arrived !== null && arrived === data && session.waiting.length <= AHEAD && !session.isDry;
  useEffect(() => {
    if (isShort && !isFetching && !isError) refetch();
  }, [isShort, isFetching, isError, refetch]);
  return {
    query,
    session,
    say(said: Pick<MadeLabel, "score" | "note">) {
      const [call] = session.waiting;
      if (call === undefined) return;
      outbox.add({ experimentId: id, metric, eventId: call.event_id, ...said });
      setSession((before) => label(before, { call, ...said }));
    },
    takeBack: () => setSession(undo),
  };
}

function unsentOf(id: string, metric: string): ReadonlySet<string> {
  const own = outbox.state().unsent.filter((one) => one.experimentId === id && one.metric === metric);
  return new Set(own.map(({ eventId }) => eventId));
}

/** Invalidates the judge's data when a label is stored. */
function useStoredLabels(id: string, metric: string): void {
  const cache = useQueryClient();
  const { stored } = useOutbox();
  useEffect(() => {
    if (stored === 0) return;
    cache.invalidateQueries({ queryKey: judgeKey(id, metric) });
    cache.invalidateQueries({ queryKey: ["judges"] });
  }, [cache, stored, id, metric]);
}
