import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { milliseconds } from "../../format/numbers.ts";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { LongText } from "../../ui/LongText.tsx";
import { Time } from "../../ui/Time.tsx";
import { chatMessages } from "./chat-messages.ts";
import { callQuery, type StoredCall, type StoredCallDetail, THREAD_CALLS, threadQuery } from "./queries.ts";

interface CallThreadProps {
  readonly call: StoredCallDetail;
  readonly experimentId: string;
}

/** The calls of the same trace or conversation, to be read from top to bottom; nothing for a call that carries no such id. */
export function CallThread({ call, experimentId }: CallThreadProps) {
  const thread = threadOf(call);
  return thread === null ? null : (
    <Thread experimentId={experimentId} userId={call.user_id} {...thread} openId={call.event_id} />
  );
}

interface ThreadName {
  readonly thread: string;
  readonly kind: "conversation" | "trace";
}

/** A conversation holds its traces: it comes first. */
function threadOf({ metadata }: StoredCallDetail): ThreadName | null {
  const { conversation_id, trace_id } = metadata ?? {};
  if (typeof conversation_id === "string" && conversation_id !== "")
    return { thread: conversation_id, kind: "conversation" };
  return typeof trace_id === "string" && trace_id !== "" ? { thread: trace_id, kind: "trace" } : null;
}

type ThreadProps = ThreadName & {
  readonly experimentId: string;
  readonly userId: string;
  readonly openId: string;
};

/** Loads the other calls only on request. */
function Thread({ experimentId, userId, thread, kind, openId }: ThreadProps) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({ ...threadQuery(experimentId, { user_id: userId, thread }), enabled: isOpen });
  return (
    <Disclosure title={`The whole ${kind}`} onToggle={setOpen}>
      <Loaded query={query}>
        {({ items, next_cursor }) => (
          <>
            <ol className="call-thread">
              {items.map((one) => (
                <Turn
                  key={one.event_id}
                  call={one}
                  experimentId={experimentId}
                  isOpen={one.event_id === openId}
                />
              ))}
            </ol>
            {next_cursor === null ? null : <p className="muted">Its first {THREAD_CALLS} calls.</p>}
          </>
        )}
      </Loaded>
    </Disclosure>
  );
}

interface TurnProps {
  readonly call: StoredCall;
  readonly experimentId: string;
  /** It is the call that the panel shows. */
  readonly isOpen: boolean;
}

function Turn({ call, experimentId, isOpen }: TurnProps) {
  const query = useQuery(callQuery(experimentId, call.event_id));
  const facts = [
    call.variant ?? "no variant",
    ...(call.model === null ? [] : [call.model]),
    ...(call.latency_ms === null ? [] : [milliseconds(call.latency_ms)]),
  ];
  return (
    <li aria-current={isOpen}>
      <p className="muted">
        <Time at={call.occurred_at} /> · {facts.join(" · ")}
        {isOpen ? " · this call" : ""}
      </p>
      <Loaded query={query} lines={2}>
        {({ prompt, response, error }) => (
          <>
            <LongText text={lastMessage(prompt ?? "") || "No prompt was sent."} />
            <LongText text={response ?? (error ? "The call failed." : "No answer was sent.")} />
          </>
        )}
      </Loaded>
    </li>
  );
}

/** What was new in the call: the messages before it are those of the calls above. */
function lastMessage(prompt: string): string {
  return chatMessages(prompt)?.at(-1)?.text ?? prompt;
}
