import type { ReactNode } from "react";
import type { Experiment } from "../../api/types.ts";
import { ArmLabel } from "../../charts/ArmLabel.tsx";
import { count, dollars, milliseconds, number } from "../../format/numbers.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { Exact } from "../../ui/Exact.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { LongText } from "../../ui/LongText.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { CallJudgements } from "./CallJudgements.tsx";
import { CallText } from "./CallText.tsx";
import { CallThread } from "./CallThread.tsx";
import { SOURCES } from "./call-search.ts";
import type { StoredCallDetail } from "./queries.ts";

interface CallDetailProps {
  readonly call: StoredCallDetail;
  readonly experiment: Experiment;
  readonly colors: ReadonlyMap<string, string>;
  readonly onFilterUser: (userId: string) => void;
}

/** Everything stored about a call. Texts are shown as plain text, whatever they contain. */
export function CallDetail({ call, experiment, colors, onFilterUser }: CallDetailProps) {
  const { arm, variant, user_id, is_test, error, error_type, prompt, response, metadata } = call;
  return (
    <>
      <p className="row">
        {arm === null ? (
          "In no arm: the call names no variant, and no exposure came before it"
        ) : (
          <ArmLabel name={arm} color={colors.get(arm)} />
        )}
        {arm !== null && variant === null ? <span className="muted">by the first exposure</span> : null}
        {error ? (
          <Badge tone="bad">
            Failed<bdi>{error_type === null ? "" : `: ${error_type}`}</bdi>
          </Badge>
        ) : null}
        {is_test ? (
          <Badge tone="warn" title="Excluded from all metrics.">
            Test user
          </Badge>
        ) : null}
      </p>
      <CallText title="Prompt" text={prompt} />
      <CallText title="Answer" text={response} />
      <Expiry at={call.raw_expires_at} />
      <CallThread call={call} experiment={experiment} />
      <CallJudgements call={call} experiment={experiment} />
      <h3>Facts</h3>
      <Facts facts={factsOf(call)} />
      <p className="row call-user">
        <span>
          User <code>{user_id}</code>
        </span>
        <Button onPress={() => onFilterUser(user_id)}>All calls of this user</Button>
      </p>
      <Outcomes outcomes={call.outcomes} />
      {metadata === null ? null : (
        <>
          <h3>Metadata</h3>
          <LongText text={JSON.stringify(metadata, null, 2)} />
        </>
      )}
    </>
  );
}

function factsOf(call: StoredCallDetail): readonly (readonly [string, ReactNode])[] {
  const { requested_model, model, provider, reasoning_tokens, cached_input_tokens } = call;
  return [
    ["Time", <Time key="at" at={call.occurred_at} />],
    ["Received", <Time key="received" at={call.received_at} />],
    ["Model", model ?? "not sent"],
    ...(requested_model === null || requested_model === model
      ? []
      : ([["Requested model", requested_model]] as const)),
    ["Provider", provider ?? "not sent"],
    ["First token", measured(call.time_to_first_token_ms, milliseconds)],
    ["Full answer", measured(call.latency_ms, milliseconds)],
    [
      "Input tokens",
      <>
        {measured(call.input_tokens, count)}
        {cached_input_tokens === null ? null : `, ${count(cached_input_tokens)} cached`}
      </>,
    ],
    [
      "Output tokens",
      <>
        {measured(call.output_tokens, count)}
        {reasoning_tokens === null ? null : `, ${count(reasoning_tokens)} reasoning`}
      </>,
    ],
    ["Cost", call.cost_usd === null ? "unknown: neither sent nor priced" : measured(call.cost_usd, dollars)],
    ["Finish reason", call.finish_reason ?? "not sent"],
    ["Sent by", SOURCES.find(({ value }) => value === call.source)?.label ?? "not recorded"],
    ["Key", call.key_prefix === null ? "none" : <code key="key">{call.key_prefix}…</code>],
    ["Client library", call.client ?? "none"],
    ["Event", <code key="id">{call.event_id}</code>],
  ];
}

function measured(value: number | null, write: (value: number) => string): ReactNode {
  return <Exact value={value} write={write} none="not sent" />;
}

/** When the plan deletes the texts. */
function Expiry({ at }: { readonly at: string | null }) {
  return (
    <p className="muted">
      {at === null ? (
        "This installation keeps raw texts indefinitely."
      ) : (
        <>
          The raw texts expire <Time at={at} isRelative />. Results computed from this call stay.
        </>
      )}
    </p>
  );
}

function Outcomes({ outcomes }: Pick<StoredCallDetail, "outcomes">) {
  return (
    <>
      <h3>Outcomes of this user</h3>
      <Table
        caption="Business events of this user in the experiment, newest first"
        isCaptionHidden
        rows={outcomes.map((outcome, index) => ({ ...outcome, index }))}
        rowKey={({ index }) => String(index)}
        columns={[
          { key: "metric", title: "Business metric", cell: ({ business_metric }) => business_metric },
          { key: "value", title: "Value", isNumeric: true, cell: ({ value }) => number(value, 6) },
          { key: "at", title: "Time", cell: ({ occurred_at }) => <Time at={occurred_at} /> },
        ]}
        empty={<p className="muted">No business events of this user in this experiment.</p>}
      />
    </>
  );
}
