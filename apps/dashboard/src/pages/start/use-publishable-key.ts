import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { announce } from "../../ui/announce.ts";
import { rawKeyName } from "./queries.ts";

const LOOK_MS = 5_000;

/** The org's publishable key, and how to get it. `raw` is null until the key is created or revealed here. */
export function usePublishableKey() {
  const cache = useQueryClient();
  const keys = useQuery({
    ...queries.keys(),
    // Polls until a program has used the key, which ticks a step.
    refetchInterval: ({ state: { data } }) => (publishable(data)?.last_used_at ? false : LOOK_MS),
  });
  const summary = publishable(keys.data) ?? null;
  const raw = useQuery<string>({
    queryKey: rawKeyName(summary?.created_at ?? "none"),
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const keep = async ({ key, created_at }: { readonly key: string; readonly created_at: string }) => {
    cache.setQueryData(rawKeyName(created_at), key);
    await cache.invalidateQueries({ queryKey: queries.keys().queryKey });
  };
  const creation = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/keys", { body: { scope: "publishable" } })),
    onSuccess: async (key) => {
      await keep(key);
      announce("The key is created and filled in below.");
    },
  });
  const reveal = useMutation({
    mutationFn: () =>
      unwrap(api.GET("/v1/keys/{scope}/reveal", { params: { path: { scope: "publishable" } } })),
    onSuccess: async (key) => {
      await keep(key);
      announce("The key is filled in below.");
    },
  });
  return { keys, summary, raw: raw.data ?? null, creation, reveal };
}

function publishable<Key extends { readonly scope: string }>(keys: readonly Key[] | undefined) {
  return keys?.find(({ scope }) => scope === "publishable");
}
