import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { useRemoveDemo } from "./use-demo.ts";
import "./demo-ribbon.css";

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
