import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import "./demo.css";

/** Marks the demo and removes it with one press; then the list is shown. */
export function DemoRibbon() {
  const navigate = useNavigate();
  const removal = useRemoveDemo(() => navigate({ to: "/" }));
  return (
    <div className="demo-ribbon">
      <DemoTag />
      <p>Recorded answers of a real language model, replayed as traffic. No real users are involved.</p>
      <Button onPress={() => removal.mutate()} isPending={removal.isPending}>
        {removal.isPending ? "Removing…" : "Remove the demo"}
      </Button>
      {removal.error ? <ProblemNotice problem={removal.error} /> : null}
    </div>
  );
}

/** Marks the demo experiment next to its name. */
export function DemoTag() {
  return <span className="demo-tag">DEMO</span>;
}

/** Loads the bundled experiment with its computed nights. */
export function LoadDemoButton() {
  const loading = useLoadDemo();
  return (
    <>
      <Button onPress={() => loading.mutate()} isPending={loading.isPending}>
        {loading.isPending ? "Loading the demo…" : "Load the demo experiment"}
      </Button>
      {loading.error ? <ProblemNotice problem={loading.error} /> : null}
    </>
  );
}

/** Loads the bundled experiment with its traffic and nights, in a few seconds. */
function useLoadDemo(onLoaded?: (id: string) => void) {
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
function useRemoveDemo(onRemoved?: () => void) {
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
