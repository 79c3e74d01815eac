/** A long text, such as a prompt, in a box that scrolls. Shown as plain text, whatever it contains. */
export function LongText({ text }: { readonly text: string }) {
  return (
    <pre className="long-text" tabIndex={0} dir="auto">
      {text}
    </pre>
  );
}
