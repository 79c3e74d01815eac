import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { useLoadDemo } from "./use-demo.ts";

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
