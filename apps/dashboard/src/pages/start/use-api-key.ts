import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import type { Wire } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { rawKeyName } from "./queries.ts";

const LOOK_MS = 5_000;

export type KeyScope = Wire<"KeySummary">["scope"];

/** The org's key of a scope, and how to get it. `raw` is null until the key is created or revealed here. */
export function useApiKey(scope: KeyScope) {
  const cache = useQueryClient();
  const keys = useQuery({
    ...queries.keys(),
    // Polls until a program has used the key, which ticks a step.
    refetchInterval: ({ state: { data } }) => (keyOf(scope, data)?.last_used_at ? false : LOOK_MS),
  });
  const summary = keyOf(scope, keys.data) ?? null;
  const raw = useQuery<string>({
    queryKey: rawKeyName(scope, summary?.created_at ?? "none"),
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const keep = async ({ key, created_at }: { readonly key: string; readonly created_at: string }) => {
    cache.setQueryData(rawKeyName(scope, created_at), key);
    await cache.invalidateQueries({ queryKey: queries.keys().queryKey });
  };
  const creation = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/keys", { body: { scope } })),
    onSuccess: async (key) => {
      await keep(key);
      announce("The key is created and filled in below.");
    },
  });
  const reveal = useMutation({
    mutationFn: () => unwrap(api.GET("/v1/keys/{scope}/reveal", { params: { path: { scope } } })),
    onSuccess: async (key) => {
      await keep(key);
      announce("The key is filled in below.");
    },
  });
  return { scope, keys, summary, raw: raw.data ?? null, creation, reveal };
}

function keyOf(scope: KeyScope, keys: readonly Wire<"KeySummary">[] | undefined) {
  return keys?.find((key) => key.scope === scope);
}
