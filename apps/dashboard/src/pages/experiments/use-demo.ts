import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";

/** Loads the bundled experiment with its traffic and its nights: a few seconds. */
export function useLoadDemo(onLoaded?: (id: string) => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.POST("/v1/demo")),
    onSuccess: async ({ id, name }) => {
      await cache.invalidateQueries({ queryKey: ["overview"] });
      announce(`The demo experiment ${name} is loaded.`);
      onLoaded?.(id);
    },
  });
}

/** Removes the demo experiment and all that belongs to it. It can be loaded again, so nothing asks first. */
export function useRemoveDemo(onRemoved?: () => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/v1/demo")),
    onSuccess: async () => {
      onRemoved?.();
      await cache.invalidateQueries({ queryKey: ["overview"] });
      announce("The demo experiment is removed. You can load it again at any time.");
    },
  });
}
