import type { ReactNode } from "react";

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

/** One step of the list. */
export function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li className={isDone ? "step is-done" : "step"}>
      <span className="step-mark" aria-hidden="true">
        {isDone ? "✓" : number}
      </span>
      <div className="step-body">
        <h3>
          {title}
          {isDone ? <span className="visually-hidden"> (done)</span> : null}
        </h3>
        {children}
      </div>
    </li>
  );
}
