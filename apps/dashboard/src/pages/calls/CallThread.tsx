import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Experiment } from "../../api/types.ts";
import { counted, dollars, milliseconds, number } from "../../format/numbers.ts";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { LongText } from "../../ui/LongText.tsx";
import { Time } from "../../ui/Time.tsx";
import { chatMessages } from "./chat-messages.ts";
import { callQuery, type StoredCall, type StoredCallDetail, THREAD_EVENTS, threadQuery } from "./queries.ts";
import { sumThread, type ThreadName, threadOf } from "./thread.ts";

interface CallThreadProps {
  readonly call: StoredCallDetail;
  readonly experiment: Experiment;
}

/** The conversation, run or trace that the call is part of, to be read from top to bottom. Nothing if it names none. */
export function CallThread({ call, experiment }: CallThreadProps) {
  const [isOpen, setOpen] = useState(false);
  const name = threadOf(call, experiment.unit);
  if (name === null) return null;
  // It is loaded only on request.
  return (
    <Disclosure title={`The whole ${name.kind}`} onToggle={setOpen}>
      {isOpen ? <Thread call={call} experimentId={experiment.id} name={name} /> : null}
    </Disclosure>
  );
}

interface ThreadOfCallProps {
  readonly eventId: string;
  readonly experiment: Experiment;
}

/** What a call is part of, where only the call's id is known. */
export function ThreadOfCall(props: ThreadOfCallProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Disclosure title="The whole thread" onToggle={setOpen}>
      {isOpen ? <LoadedThread {...props} /> : null}
    </Disclosure>
  );
}

function LoadedThread({ eventId, experiment }: ThreadOfCallProps) {
  const query = useQuery(callQuery(experiment.id, eventId));
  return (
    <Loaded query={query}>
      {(call) => {
        const name = threadOf(call, experiment.unit);
        return name === null ? (
          <p className="muted">The call names no conversation, run or trace.</p>
        ) : (
          <Thread call={call} experimentId={experiment.id} name={name} />
        );
      }}
    </Loaded>
  );
}

interface ThreadProps {
  /** The call from which it was opened. */
  readonly call: StoredCallDetail;
  readonly experimentId: string;
  readonly name: ThreadName;
}

function Thread({ call, experimentId, name }: ThreadProps) {
  const query = useQuery(threadQuery(experimentId, { user_id: call.user_id, thread: name.thread }));
  return (
    <Loaded query={query}>
      {({ items, next_cursor }) => (
        <>
          {items.length === 0 ? (
            <p className="muted">Its raw events have expired.</p>
          ) : (
            <Sums events={items} />
          )}
          <ol className="call-thread">
            {items.map((event) => (
              <li key={event.event_id} aria-current={event.event_id === call.event_id}>
                <p className="muted">
                  <Time at={event.occurred_at} /> · {factsOf(event).join(" · ")}
                  {event.event_id === call.event_id ? " · this call" : ""}
                </p>
                <Texts event={event} experimentId={experimentId} />
              </li>
            ))}
          </ol>
          {next_cursor === null ? null : (
            <p className="muted">Only the first {THREAD_EVENTS} events are shown.</p>
          )}
        </>
      )}
    </Loaded>
  );
}

function Sums({ events }: { readonly events: readonly StoredCall[] }) {
  const { calls, tools, failures, costUsd, unpriced, durationMs } = sumThread(events);
  const sums = [
    counted(calls, "call"),
    ...(tools === 0 ? [] : [counted(tools, "tool call")]),
    ...(failures === 0 ? [] : [`${failures} failed`]),
    ...(costUsd === null
      ? []
      : [`${dollars(costUsd)}${unpriced === 0 ? "" : ` without the cost of ${counted(unpriced, "call")}`}`]),
    milliseconds(durationMs),
  ];
  return <p>{sums.join(" · ")}</p>;
}

function factsOf(event: StoredCall): string[] {
  const { type, arm, business_metric, value, latency_ms, error } = event;
  const took = latency_ms === null ? [] : [milliseconds(latency_ms)];
  const failed = error === true ? ["failed"] : [];
  switch (type) {
    case "exposure":
      return [`exposed to ${arm ?? "no variant"}`];
    case "business_event":
      return [`${business_metric}: ${number(value ?? 0, 6)}`];
    case "run_end":
      return [event.completed === false ? "the run ended, task not done" : "the run ended, task done"];
    case "tool_call":
      return [`tool ${event.tool_name}`, ...agentOf(event), ...took, ...failed];
    case "model_call":
      return [
        arm ?? "in no arm",
        ...(event.model === null ? [] : [event.model]),
        ...agentOf(event),
        ...took,
        ...(event.cost_usd === null ? [] : [dollars(event.cost_usd)]),
        ...failed,
      ];
  }
}

function agentOf({ agent_name }: Pick<StoredCall, "agent_name">): string[] {
  return agent_name === null ? [] : [`agent ${agent_name}`];
}

/** What was asked and answered, or what a tool was given and gave back. */
function Texts({ event, experimentId }: { readonly event: StoredCall; readonly experimentId: string }) {
  const isCall = event.type === "model_call" || event.type === "tool_call";
  const query = useQuery({ ...callQuery(experimentId, event.event_id), enabled: isCall });
  if (!isCall) return null;
  return (
    <Loaded query={query} lines={2}>
      {(call) => (call.type === "tool_call" ? <ToolTexts call={call} /> : <CallTexts call={call} />)}
    </Loaded>
  );
}

function CallTexts({ call: { prompt, response, error } }: { readonly call: StoredCallDetail }) {
  return (
    <>
      <LongText text={lastMessage(prompt ?? "") || "No prompt was sent."} />
      <LongText text={response ?? (error ? "The call failed." : "No answer was sent.")} />
    </>
  );
}

function ToolTexts({ call: { tool_arguments, tool_result } }: { readonly call: StoredCallDetail }) {
  return (
    <>
      {tool_arguments === null ? null : <LongText text={tool_arguments} />}
      {tool_result === null ? null : <LongText text={tool_result} />}
    </>
  );
}

/** What is new in the call. The messages before it are those of the calls above. */
function lastMessage(prompt: string): string {
  return chatMessages(prompt)?.at(-1)?.text ?? prompt;
}
