import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Problem } from "../api/problem.ts";
import { counted } from "../format/numbers.ts";
import { Button } from "./Button.tsx";
import { SignInAgain } from "./SignInAgain.tsx";
import "./notice.css";

export type Tone = "quiet" | "info" | "good" | "bad" | "warn";

const ICONS: Readonly<Record<Tone, LucideIcon>> = {
  quiet: Info,
  info: Info,
  good: CircleCheck,
  bad: CircleAlert,
  warn: TriangleAlert,
};

interface NoticeProps {
  readonly tone: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons and links. */
  readonly actions?: ReactNode;
  /** `alert` is read out immediately, `status` at the next pause; by default, it is not read out. */
  readonly role?: "alert" | "status";
}

/** A notice with actions. */
export function Notice({ tone, title, children, actions, role }: NoticeProps) {
  const Icon = ICONS[tone];
  return (
    <div className={`notice notice-${tone}`} role={role}>
      <Icon className="notice-icon" size={18} aria-hidden="true" />
      <div className="notice-text">
        {title ? <p className="notice-title">{title}</p> : null}
        {children}
        {actions ? <div className="notice-actions">{actions}</div> : null}
      </div>
    </div>
  );
}

interface ProblemNoticeProps {
  readonly problem: Error;
  readonly onRetry?: (() => void) | undefined;
}

/** Shows a failed request in the service's words, with advice. */
export function ProblemNotice({ problem, onRetry }: ProblemNoticeProps) {
  const { title, advice, requestId } = explain(problem);
  return (
    <Notice
      tone="bad"
      role="alert"
      title={title}
      actions={onRetry ? <Button onPress={onRetry}>Try again</Button> : undefined}
    >
      <p>{problem.message}</p>
      {advice ? <p>{advice}</p> : null}
      {problem instanceof Problem && problem.kind === "recent-sign-in-required" ? <SignInAgain /> : null}
      {requestId ? (
        <p className="muted">
          If you ask for help, include the request id <code>{requestId}</code>.
        </p>
      ) : null}
    </Notice>
  );
}

function explain(problem: Error): { title: string; advice: string | null; requestId: string | null } {
  if (!(problem instanceof Problem))
    return { title: "Something went wrong on this page", advice: null, requestId: null };
  const { title, status, requestId, retryAfterSeconds } = problem;
  return { title, advice: adviceFor(status, retryAfterSeconds), requestId: status >= 500 ? requestId : null };
}

function adviceFor(status: number, waitSeconds: number | null): string | null {
  if (status === 429 && waitSeconds !== null) return `Try again in ${waitInWords(waitSeconds)}.`;
  if (status >= 500) return "Your input is kept. Try again in a moment.";
  return null;
}

function waitInWords(seconds: number): string {
  if (seconds < 90) return counted(seconds, "second");
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
