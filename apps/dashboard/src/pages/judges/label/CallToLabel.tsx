import type { QueuedCall } from "./label-session.ts";

/** A question and its answer as plain text. */
export function CallToLabel({ call, number }: { readonly call: QueuedCall; readonly number: number }) {
  return (
    <article className="panel" aria-label={`Answer number ${number}`} tabIndex={-1} data-call="">
      <h2>User input</h2>
      {call.input === null ? (
        <p className="muted">
          Not shown, because it cannot be separated from the variant's prompt. Judge the answer alone, or
          choose “Cannot tell”.
        </p>
      ) : (
        <Words text={call.input} />
      )}
      <h2>Answer</h2>
      <Answer text={call.answer} />
    </article>
  );
}

function Answer({ text }: { readonly text: string | null }) {
  if (text === null) return <p className="muted">The model call failed, so there is no answer.</p>;
  return text === "" ? <p className="muted">The answer is empty.</p> : <Words text={text} />;
}

function Words({ text }: { readonly text: string }) {
  return (
    <pre className="desk-text" tabIndex={0} dir="auto">
      {text}
    </pre>
  );
}
