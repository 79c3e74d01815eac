import type { Wire } from "../../api/types.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { CodeBlock } from "../../ui/Copy.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Time } from "../../ui/Time.tsx";

type Overview = Pick<Wire<"JudgesOverview">, "is_configured" | "lock" | "fault">;

const SETTINGS = `ASSAY_JUDGE_URL=https://api.openai.com/v1
ASSAY_JUDGE_MODEL=gpt-4.1-mini
ASSAY_JUDGE_API_KEY=your provider's key`;

/** Why no metric is judged, and what to do about it. */
export function JudgeNotices({ overview: { is_configured, lock, fault } }: { readonly overview: Overview }) {
  return (
    <>
      {is_configured ? null : (
        <Notice tone="info" title="No judge is configured">
          <p>
            The operator of this installation must set a model and an endpoint that speaks the OpenAI
            protocol, then restart the service. The key is optional if the endpoint needs none. Until then,
            metrics keep their rubrics.
          </p>
          <CodeBlock label="Settings for a judge" text={SETTINGS} />
        </Notice>
      )}
      {lock === null ? null : (
        <Notice
          tone="warn"
          title="Judge evaluations are locked"
          actions={<LinkButton to="/usage">View plans</LinkButton>}
        >
          <p>{lock}</p>
        </Notice>
      )}
      {fault === null ? null : (
        <Notice tone="bad" role="status" title="The judge's endpoint returns no scores">
          <p>
            {fault.detail} Since <Time at={fault.since} isRelative />.
          </p>
          <p>
            Judgements wait in the queue; none are lost or counted as failed. Assay retries automatically. The
            operator of this installation can test the endpoint with <code>assay doctor</code>.
          </p>
        </Notice>
      )}
    </>
  );
}
