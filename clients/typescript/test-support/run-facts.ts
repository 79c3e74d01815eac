import type { TestClient } from "../src/testing.ts";
import { readVectors } from "./read-vectors.ts";

interface Recorded {
  readonly type: string;
  readonly error?: boolean;
  readonly completed?: boolean;
  readonly tool_name?: string;
  readonly agent_name?: string;
  readonly run_id?: string;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
}

/** What the events of a run come to in every framework, in every language. */
export const { framework_run: ONE_RUN } = readVectors<{ framework_run: ReturnType<typeof runFacts> }>("runs");

/** What the runs of a client's events come to. */
export function runFacts(client: TestClient) {
  const events = client.events as unknown as readonly Recorded[];
  const [calls, tools, ends] = ["model_call", "tool_call", "run_end"].map((name) =>
    events.filter(({ type }) => type === name),
  ) as [Recorded[], Recorded[], Recorded[]];
  const sum = (field: "input_tokens" | "output_tokens") =>
    calls.reduce((total, call) => total + (call[field] ?? 0), 0);
  return {
    model_calls: calls.length,
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    model_errors: calls.filter(({ error }) => error).length,
    tools: tools.map(({ tool_name, error }) => [tool_name, error]),
    run_ends: ends.map(({ completed }) => completed),
    runs: new Set([...calls, ...tools, ...ends].map(({ run_id }) => run_id)).size,
    agents: [...new Set([...calls, ...tools].map(({ agent_name }) => String(agent_name)))].sort(),
  };
}
