import { Link } from "@tanstack/react-router";

/** Links to the page for applications that already report their calls elsewhere. */
export function InstrumentedHint() {
  return (
    <p>
      <Link to="/start/instrumented">Already instrumented?</Link> An application that reports to OpenTelemetry
      or Langfuse needs only a few environment variables, not this code.
    </p>
  );
}
