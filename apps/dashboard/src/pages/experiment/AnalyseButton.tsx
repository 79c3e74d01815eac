import { useIsMutating } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button, type ButtonLook } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { useAnalyse } from "./use-analyse.ts";

interface AnalyseButtonProps {
  readonly id: string;
  readonly children?: ReactNode;
  readonly look?: ButtonLook;
}

/** Starts a preliminary analysis. It takes seconds: every such button of the experiment waits meanwhile. */
export function AnalyseButton({ id, children = "Analyse now", look = "plain" }: AnalyseButtonProps) {
  const { mutate, error } = useAnalyse(id);
  const isPending = useIsMutating({ mutationKey: ["analyse", id] }) > 0;
  return (
    <>
      <Button look={look} onPress={() => mutate()} isPending={isPending}>
        {isPending ? "Analysing…" : children}
      </Button>
      {error ? <ProblemNotice problem={error} /> : null}
    </>
  );
}
