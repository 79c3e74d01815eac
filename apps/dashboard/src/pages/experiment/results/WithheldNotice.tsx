import type { ReactNode } from "react";
import { LinkButton } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { AnalyzeButton } from "../AnalyzeButton.tsx";

interface WithheldNoticeProps {
  readonly id: string;
  /** Completes "Results are withheld: ". */
  readonly why: string;
  readonly children: ReactNode;
}

/** Says why a run is withheld, and where to look. */
export function WithheldNotice({ id, why, children }: WithheldNoticeProps) {
  return (
    <Notice
      tone="warn"
      title={`Results are withheld: ${why}`}
      actions={
        <>
          <LinkButton look="primary" to="/experiments/$id/health" params={{ id }}>
            See the health checks
          </LinkButton>
          <AnalyzeButton id={id}>Analyze again</AnalyzeButton>
        </>
      }
    >
      <p>{children}</p>
    </Notice>
  );
}
