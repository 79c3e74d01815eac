import { useMemo } from "react";
import { CopyButton } from "../../ui/Copy.tsx";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { LongText } from "../../ui/LongText.tsx";
import { type ChatMessage, chatMessages } from "./chat-messages.ts";

interface CallTextProps {
  readonly title: "Prompt" | "Answer";
  /** Null: none was sent. */
  readonly text: string | null;
}

/** A prompt or an answer as plain text. A chat is shown as its messages, with the original text below. */
export function CallText({ title, text }: CallTextProps) {
  const messages = useMemo(() => (text === null ? null : chatMessages(text)), [text]);
  return (
    <section aria-label={title}>
      <header className="row call-text-head">
        <h3>{title}</h3>
        {text ? <CopyButton text={text} label={`Copy ${title.toLowerCase()}`} /> : null}
      </header>
      {text === null ? (
        <NotSent title={title} />
      ) : text === "" ? (
        <p className="muted">An empty text was sent.</p>
      ) : messages === null ? (
        <PlainText text={text} />
      ) : (
        <Chat messages={messages} text={text} />
      )}
    </section>
  );
}

function PlainText({ text }: { readonly text: string }) {
  return <LongText text={text} />;
}

function Chat({ messages, text }: { readonly messages: readonly ChatMessage[]; readonly text: string }) {
  return (
    <>
      <ol className="call-messages">
        {messages
          .map((message, position) => ({ ...message, position }))
          .map(({ role, text: said, position }) => (
            <li key={position}>
              <p className="call-role">{role}</p>
              <PlainText text={said} />
            </li>
          ))}
      </ol>
      <Disclosure title="Original text">
        <PlainText text={text} />
      </Disclosure>
    </>
  );
}

function NotSent({ title }: Pick<CallTextProps, "title">) {
  const field = title === "Prompt" ? "prompt" : "response";
  return (
    <p className="muted">
      No {title.toLowerCase()} was sent with this call. The client libraries send it when they wrap the
      provider's client, unless the <code>mask</code> option removes it. Without a library, send it as the
      field <code>{field}</code> of the model call. Only judged metrics use it.
    </p>
  );
}
