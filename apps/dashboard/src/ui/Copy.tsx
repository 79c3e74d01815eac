import { useState } from "react";
import { announce } from "./announce.ts";
import { Button } from "./Button.tsx";
import "./copy.css";

/** Copies a text and announces it. */
export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce("Copied.");
    } catch {
      announce("The browser does not allow copying. Select the text and press Ctrl+C.");
    }
  };
  return <Button onPress={copy}>{isCopied ? "Copied" : label}</Button>;
}

/** A text to copy: code, a key, a command. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <section className="code-block" aria-label={label}>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </section>
  );
}
