import type { Places } from "./use-places.ts";

interface PlacedComparisonProps {
  readonly question: string;
  readonly places: Places;
  /** Its place in the list, from 0. */
  readonly place: number;
  readonly children: React.ReactNode;
}

/** One comparison in a list. When focused, it is the one that keys act on. */
export function PlacedComparison({ question, places, place, children }: PlacedComparisonProps) {
  const isCurrent = places.current === place;
  return (
    <article
      className="comparison"
      aria-label={question.slice(0, 100)}
      aria-current={isCurrent}
      tabIndex={isCurrent ? 0 : -1}
      data-comparison={place}
      onFocus={() => (isCurrent ? undefined : places.goTo(place))}
    >
      {children}
    </article>
  );
}
