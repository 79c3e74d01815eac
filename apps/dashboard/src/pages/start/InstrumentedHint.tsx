import { Link } from "@tanstack/react-router";

/** Leads applications that report their calls elsewhere to the page about them. */
export function InstrumentedHint() {
  return (
    <p>
      <Link to="/start/instrumented">Already instrumented?</Link> An application that reports to OpenTelemetry
      or Langfuse needs none of this code, but a few environment variables.
    </p>
  );
}
