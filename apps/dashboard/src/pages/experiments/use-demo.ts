import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";

/** Loads the bundled experiment with its traffic and nights, in a few seconds. */
export function useLoadDemo(onLoaded?: (id: string) => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.POST("/v1/demo")),
    onSuccess: async ({ id, name }) => {
      await cache.invalidateQueries({ queryKey: ["overview"] });
      announce(`Loaded the demo experiment ${name}.`);
      onLoaded?.(id);
    },
  });
}

/** Removes the demo experiment with its data, without a confirmation, because it can be loaded again. */
export function useRemoveDemo(onRemoved?: () => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/v1/demo")),
    onSuccess: async () => {
      onRemoved?.();
      await cache.invalidateQueries({ queryKey: ["overview"] });
      announce("Removed the demo experiment. You can load it again at any time.");
    },
  });
}
