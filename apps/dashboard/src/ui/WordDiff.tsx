import { type ChangeObject, diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import "./word-diff.css";

interface WordDiffProps {
  readonly before: string;
  readonly after: string;
  /** Names the comparison: "concise vs control". */
  readonly label: string;
}

/** Larger differences are not worth comparing word by word, and would stall the page. */
const LIMITS = { maxEditLength: 4000, timeout: 200 };

/** Shows the word-by-word difference of two texts. */
export function WordDiff({ before, after, label }: WordDiffProps) {
  const parts = useMemo(() => diffWordsWithSpace(before, after, LIMITS), [before, after]);
  if (parts === undefined) return <p className="muted">The texts differ too much to compare word by word.</p>;
  return (
    <section className="word-diff" aria-label={label} tabIndex={0}>
      {placed(parts).map(({ at, part }) => (
        <Part key={at} part={part} />
      ))}
    </section>
  );
}

function Part({ part: { added, removed, value } }: { readonly part: ChangeObject<string> }) {
  if (added) return <ins>{value}</ins>;
  return removed ? <del>{value}</del> : <span>{value}</span>;
}

/** Each part with its offset as a key. */
function placed(parts: readonly ChangeObject<string>[]) {
  let length = 0;
  return parts.map((part) => {
    const at = `${length}${part.added ? "+" : part.removed ? "-" : ""}`;
    length += part.value.length;
    return { at, part };
  });
}
