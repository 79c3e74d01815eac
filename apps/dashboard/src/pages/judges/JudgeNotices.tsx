import type { Wire } from "../../api/types.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { CodeBlock } from "../../ui/Copy.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Time } from "../../ui/Time.tsx";

type Overview = Pick<Wire<"JudgesOverview">, "is_configured" | "lock" | "fault">;

const SETTINGS = `ASSAY_JUDGE_URL=https://api.openai.com/v1
ASSAY_JUDGE_MODEL=gpt-4.1-mini
ASSAY_JUDGE_API_KEY=the key of that provider`;

/** Why nothing is judged at all, and what to do about it. */
export function JudgeNotices({ overview: { is_configured, lock, fault } }: { readonly overview: Overview }) {
  return (
    <>
      {is_configured ? null : (
        <Notice tone="info" title="This installation has no judge yet">
          <p>
            Whoever runs it names an endpoint that speaks the OpenAI protocol, and a model, and starts the
            service again. The key may be left out where the endpoint asks for none. Metrics keep their
            rubrics meanwhile.
          </p>
          <CodeBlock label="Settings of a judge" text={SETTINGS} />
        </Notice>
      )}
      {lock === null ? null : (
        <Notice
          tone="warn"
          title="Judge evaluations are locked"
          actions={<LinkButton to="/usage">See the plans</LinkButton>}
        >
          <p>{lock}</p>
        </Notice>
      )}
      {fault === null ? null : (
        <Notice tone="bad" role="status" title="The judge's endpoint gives no scores">
          <p>
            {fault.detail} Since <Time at={fault.since} isRelative />.
          </p>
          <p>
            Judgements wait and none is lost or counted as failed; the endpoint is asked again by itself.
            Whoever runs the installation can try it with <code>assay doctor</code>.
          </p>
        </Notice>
      )}
    </>
  );
}
