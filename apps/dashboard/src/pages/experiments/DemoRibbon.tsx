import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { useRemoveDemo } from "./use-demo.ts";
import "./demo-ribbon.css";

/** Says that what is shown is the demo's, and removes it with one press. Afterwards the list is shown. */
export function DemoRibbon() {
  const navigate = useNavigate();
  const removal = useRemoveDemo(() => navigate({ to: "/" }));
  return (
    <div className="demo-ribbon">
      <DemoTag />
      <p>Real answers of a language model, recorded once and replayed as traffic. Nobody is affected.</p>
      <Button onPress={() => removal.mutate()} isPending={removal.isPending}>
        {removal.isPending ? "Removing…" : "Remove the demo"}
      </Button>
      {removal.error ? <ProblemNotice problem={removal.error} /> : null}
    </div>
  );
}

/** Marks the demo experiment wherever its name stands. */
export function DemoTag() {
  return <span className="demo-tag">DEMO</span>;
}
