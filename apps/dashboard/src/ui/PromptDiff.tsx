import type { ReactNode } from "react";
import { WordDiff } from "./WordDiff.tsx";

/** A variant's prompt, by the variant's name. */
export interface NamedPrompt {
  readonly name: string;
  readonly prompt: string | null | undefined;
}

interface PromptDiffProps extends NamedPrompt {
  /** The prompt it is compared with; null: it is shown as it is. */
  readonly base: NamedPrompt | null;
  /** The prompt as it is. */
  readonly children: ReactNode;
}

/** A prompt as it is, or as its differences from another variant's prompt. */
export function PromptDiff({ name, prompt, base, children }: PromptDiffProps) {
  if (base === null || base.name === name || !prompt) return children;
  if (!base.prompt)
    return (
      <>
        <p className="muted">There is nothing to compare: {base.name} has no prompt.</p>
        {children}
      </>
    );
  if (base.prompt === prompt) return <p className="muted">The same as the prompt of {base.name}.</p>;
  return (
    <WordDiff
      before={base.prompt}
      after={prompt}
      label={`The prompt of ${name} compared with the prompt of ${base.name}`}
    />
  );
}
