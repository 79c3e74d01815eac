import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import { announce } from "../../ui/announce.ts";
import { Button, type ButtonLook } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import "./demo.css";

/** The bundled demos. */
type DemoName = "support-tone" | "answer-style";

/** Marks the demo and removes it with one press; then the list is shown. */
export function DemoRibbon() {
  const navigate = useNavigate();
  const removal = useRemoveDemo(() => navigate({ to: "/" }));
  return (
    <div className="demo-ribbon">
      <DemoTag />
      <p>
        Replayed traffic: no real users are involved. The experiment's description says where the answers come
        from.
      </p>
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

/** Loads the demo whose texts can be read or, quieter, the recorded one. */
export function LoadDemoButtons() {
  const loading = useLoadDemo();
  const button = (demo: DemoName, label: string, look?: ButtonLook) => (
    <Button look={look} onPress={() => loading.mutate(demo)} isPending={loading.isPending}>
      {loading.isPending && loading.variables === demo ? "Loading the demo…" : label}
    </Button>
  );
  return (
    <>
      {button("support-tone", "Load the demo experiment")}
      {button("answer-style", "Load the recorded demo", "quiet")}
      {loading.error ? <ProblemNotice problem={loading.error} /> : null}
    </>
  );
}

/** Loads a bundled experiment with its traffic and nights. */
export function useLoadDemo(onProblem?: (problem: Error) => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (demo: DemoName) => unwrap(api.POST("/v1/demo", { body: { demo } })),
    onSuccess: async ({ name }) => {
      await cache.invalidateQueries({ queryKey: ["overview"] });
      announce(`Loaded the demo experiment ${name}.`);
    },
    onError: (problem) => onProblem?.(problem),
  });
}

/** Removes the demo experiments with their data, without a confirmation, because they can be loaded again. */
function useRemoveDemo(onRemoved?: () => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/v1/demo")),
    onSuccess: async () => {
      onRemoved?.();
      await cache.invalidateQueries({ queryKey: ["overview"] });
      announce("Removed the demo. You can load it again at any time.");
    },
  });
}
