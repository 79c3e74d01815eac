import type { ReactNode } from "react";
import { ArmLabel } from "../../charts/ArmLabel.tsx";
import { count, dollars, milliseconds } from "../../format/numbers.ts";
import { local, utc } from "../../format/times.ts";
import { Exact } from "../../ui/Exact.tsx";
import { scoresInWords } from "./call-scores.ts";
import type { CallSort } from "./call-search.ts";
import type { StoredCall } from "./queries.ts";

/** A column of the table of calls. */
export interface CallColumn {
  readonly key: string;
  readonly title: string;
  /** The full title, where the header is an abbreviation. */
  readonly meaning?: string;
  readonly sort?: CallSort;
  readonly isNumeric?: boolean;
  readonly cell: (call: StoredCall, colors: ReadonlyMap<string, string>) => ReactNode;
}

const NONE = "–";

const shortTime = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZone: "UTC",
});

/** The columns of the table. A narrow screen shows only some of them (calls.css); the open call shows the rest. */
const JUDGED_COLUMNS: readonly CallColumn[] = [
  {
    key: "time",
    title: "Time (UTC)",
    sort: "occurred_at",
    cell: ({ occurred_at }) => (
      <time dateTime={occurred_at} title={`${utc(occurred_at)} · ${local(occurred_at)}`}>
        {shortTime.format(new Date(occurred_at))}
      </time>
    ),
  },
  { key: "user", title: "User", cell: ({ user_id }) => <bdi title={user_id}>{user_id}</bdi> },
  {
    key: "variant",
    title: "Variant",
    cell: ({ arm }, colors) => (arm === null ? "none" : <ArmLabel name={arm} color={colors.get(arm)} />),
  },
  { key: "model", title: "Model", cell: ({ model }) => <bdi title={model ?? ""}>{model ?? NONE}</bdi> },
  {
    key: "ttft",
    title: "TTFT",
    meaning: "Time to the first token",
    sort: "time_to_first_token_ms",
    isNumeric: true,
    cell: (call) => <Exact value={call.time_to_first_token_ms} write={milliseconds} />,
  },
  {
    key: "total",
    title: "Total",
    meaning: "Time to the full answer",
    sort: "latency_ms",
    isNumeric: true,
    cell: (call) => <Exact value={call.latency_ms} write={milliseconds} />,
  },
  {
    key: "in",
    title: "In",
    meaning: "Input tokens",
    sort: "input_tokens",
    isNumeric: true,
    cell: (call) => <Exact value={call.input_tokens} write={count} />,
  },
  {
    key: "cached",
    title: "Cached",
    meaning: "Input tokens from the provider's cache",
    isNumeric: true,
    cell: (call) => <Exact value={call.cached_input_tokens} write={count} />,
  },
  {
    key: "out",
    title: "Out",
    meaning: "Output tokens",
    sort: "output_tokens",
    isNumeric: true,
    cell: (call) => <Exact value={call.output_tokens} write={count} />,
  },
  {
    key: "cost",
    title: "Cost",
    meaning: "US dollars, as sent or from the price list",
    sort: "cost_usd",
    isNumeric: true,
    cell: (call) => <Exact value={call.cost_usd} write={dollars} />,
  },
  { key: "judge", title: "Judge", meaning: "Scores by this experiment's judges", cell: Scores },
  { key: "end", title: "Finish", meaning: "Finish reason of the answer", cell: Ending },
  {
    key: "answer",
    title: "Answer",
    cell: ({ response_preview, prompt_preview }) => (
      <bdi>{response_preview ?? prompt_preview ?? <i>no text sent</i>}</bdi>
    ),
  },
];

const UNJUDGED_COLUMNS = JUDGED_COLUMNS.filter(({ key }) => key !== "judge");

/** Returns a stable list of columns, so that memoized rows are not redrawn. */
export function callColumns(isJudged: boolean): readonly CallColumn[] {
  return isJudged ? JUDGED_COLUMNS : UNJUDGED_COLUMNS;
}

function Scores({ scores }: StoredCall) {
  const words = scoresInWords(scores);
  return words === null ? NONE : <bdi title={words}>{words}</bdi>;
}

function Ending({ error, error_type, finish_reason }: StoredCall) {
  if (!error) return <bdi>{finish_reason ?? NONE}</bdi>;
  return (
    <span className="call-failed">
      failed{error_type === null ? null : <bdi title={error_type}>: {error_type}</bdi>}
    </span>
  );
}
