import { useIsMutating } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button, type ButtonLook } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { useAnalyze } from "./use-analyze.ts";

interface AnalyzeButtonProps {
  readonly id: string;
  readonly children?: ReactNode;
  readonly look?: ButtonLook;
}

/** Starts a preliminary analysis. It takes seconds; all such buttons of the experiment wait. */
export function AnalyzeButton({ id, children = "Analyze now", look = "plain" }: AnalyzeButtonProps) {
  const { mutate, error } = useAnalyze(id);
  const isPending = useIsMutating({ mutationKey: ["analyze", id] }) > 0;
  return (
    <>
      <Button look={look} onPress={() => mutate()} isPending={isPending}>
        {isPending ? "Analyzing…" : children}
      </Button>
      {error ? <ProblemNotice problem={error} /> : null}
    </>
  );
}
