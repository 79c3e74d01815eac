import type { QueuedCall } from "./label-session.ts";

/** A question and its answer, as texts whatever they contain. */
export function CallToLabel({ call, number }: { readonly call: QueuedCall; readonly number: number }) {
  return (
    <article className="panel" aria-label={`Answer number ${number}`} tabIndex={-1} data-call="">
      <h2>What the user asked</h2>
      {call.input === null ? (
        <p className="muted">
          Not shown: it cannot be told apart from the variant's prompt. Judge the answer by itself, or say
          that you cannot tell.
        </p>
      ) : (
        <Words text={call.input} />
      )}
      <h2>The answer</h2>
      <Answer text={call.answer} />
    </article>
  );
}

function Answer({ text }: { readonly text: string | null }) {
  if (text === null) return <p className="muted">None: the model call failed, and the user got no answer.</p>;
  return text === "" ? <p className="muted">The answer is empty.</p> : <Words text={text} />;
}

function Words({ text }: { readonly text: string }) {
  return (
    <pre className="desk-text" tabIndex={0} dir="auto">
      {text}
    </pre>
  );
}
