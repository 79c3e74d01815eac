import { Empty } from "../../ui/Page.tsx";
import { callsWords, type Instrumentation } from "./arrival-words.ts";
import "./instrumented.css";

interface InstrumentationsProps {
  readonly instrumentations: readonly Instrumentation[];
}

/** For each instrumentation: what became of its calls, what they lack, and what to do about it. */
export function Instrumentations({ instrumentations }: InstrumentationsProps) {
  if (instrumentations.length === 0)
    return (
      <Empty title="No model calls in the last 24 hours.">
        <p>
          Once calls arrive, each instrumentation is listed here with what is missing and what to do about it.
        </p>
      </Empty>
    );
  return (
    <div className="instrumentations">
      {instrumentations.map((found) => (
        <article key={found.scope} className="instrumentation">
          <h3>{found.scope || "An instrumentation without a name"}</h3>
          <p>{callsWords(found)}</p>
          {found.advice.length === 0 ? (
            <p className="muted">Nothing is missing from its calls.</p>
          ) : (
            <ul>
              {found.advice.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          )}
        </article>
      ))}
    </div>
  );
}
