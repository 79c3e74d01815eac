import type { Wire } from "../../api/types.ts";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { Time } from "../../ui/Time.tsx";
import { Waiting } from "../start/Waiting.tsx";
import { callWords, evaluationWords, OUTCOME_WORDS, samplingWords, unreadWords } from "./arrival-words.ts";
import "./instrumented.css";

interface ArrivalsProps {
  readonly summary: Wire<"TelemetrySummary">;
  /** When a request last came with the secret key. */
  readonly keyUsedAt: string | null;
}

/** The newest model call and the newest evaluation, or a note that the page waits for them. */
export function Arrivals({
  summary: { last_call: call, last_evaluation: evaluation },
  keyUsedAt,
}: ArrivalsProps) {
  return (
    <div className="arrivals">
      {call === null ? (
        <Waiting>Waiting for the first span of a model call…</Waiting>
      ) : (
        <Arrival
          what="Newest model call:"
          at={call.started_at}
          traceId={call.trace_id}
          words={callWords(call)}
        >
          {[OUTCOME_WORDS[call.outcome], samplingWords(call), unreadWords(call)].filter(Boolean).join(" ")}
        </Arrival>
      )}
      {evaluation === null ? (
        <Waiting>Waiting for the first evaluation of a flag…</Waiting>
      ) : (
        <Arrival
          what="Newest evaluation:"
          at={evaluation.evaluated_at}
          traceId={evaluation.trace_id}
          words={evaluationWords(evaluation)}
        />
      )}
      {call === null && keyUsedAt !== null ? (
        <p>
          The secret key was last used <Time at={keyUsedAt} isRelative />, so requests arrive, but none
          contained a model call.
        </p>
      ) : null}
      {call === null || evaluation === null ? <Troubleshooting /> : null}
    </div>
  );
}

interface ArrivalProps {
  readonly what: string;
  readonly words: string;
  readonly at: string;
  readonly traceId: string;
  readonly children?: string;
}

function Arrival({ what, words, at, traceId, children }: ArrivalProps) {
  return (
    <div className="received" role="status">
      <p>
        <b>{what}</b> {words}{" "}
        <small className="muted">
          <Time at={at} isRelative /> · trace <code>{traceId}</code>
        </small>
      </p>
      {children ? <p>{children}</p> : null}
    </div>
  );
}

function Troubleshooting() {
  return (
    <Disclosure title="Nothing arriving?">
      <ul>
        <li>
          Exporters send in batches, every five seconds or more. Let the process run that long, or flush it.
        </li>
        <li>The address must be reachable from your application, not only from this browser.</li>
        <li>
          The exporter must speak OTLP over HTTP. For one that speaks gRPC, set{" "}
          <code>OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf</code>.
        </li>
        <li>If the exporter logs 401, it sends a wrong key or none.</li>
        <li>Spans that are not about models are ignored, and so are flags that are not experiments.</li>
        <li>A sampler that drops the trace drops the calls in it.</li>
      </ul>
    </Disclosure>
  );
}
