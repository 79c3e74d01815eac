import type { ControlPlane, EventStore, IngestQueue } from "@assay/domain";
import type { JudgeEndpoint } from "../judging/judge-endpoint.ts";
import type { Tracing } from "./tracing.ts";

interface Ports {
  readonly control: ControlPlane;
  readonly events: EventStore;
  readonly queue: IngestQueue;
  readonly endpoint: JudgeEndpoint | null;
}

/** Calls that are not traced: probes and polls would outnumber everything else. */
const QUIET = ["migrate", "ping", "close", "depth", "waitForBatch", "newestSequence", "isDrainedTo"];

/** Traces each call of an engine as a span named after the method, without queries or values. */
export function tracePorts<P extends Ports>(ports: P, tracing: Tracing): P {
  const { control, events, queue, endpoint } = ports;
  const isCall = (name: string) => !QUIET.includes(name);
  return {
    ...ports,
    control: traceMethods(
      control,
      { prefix: "control_plane", isTraced: (name) => name === "transaction" },
      tracing,
    ),
    events: traceMethods(events, { prefix: "event_store", isTraced: isCall }, tracing),
    queue: traceMethods(
      queue,
      { prefix: "queue", isTraced: (name) => isCall(name) && name !== "claim" },
      tracing,
    ),
    endpoint: endpoint && traceJudge(endpoint, tracing),
  };
}

interface Naming {
  readonly prefix: string;
  readonly isTraced: (name: string) => boolean;
}

/** Wraps an object's methods in spans. Every traced method must return a promise. */
function traceMethods<T extends object>(target: T, { prefix, isTraced }: Naming, tracing: Tracing): T {
  return new Proxy(target, {
    get(owner, key) {
      const member: unknown = Reflect.get(owner, key);
      if (typeof member !== "function") return member;
      const call = (args: readonly unknown[]): unknown => Reflect.apply(member, owner, args);
      if (typeof key !== "string" || !isTraced(key)) return (...args: readonly unknown[]) => call(args);
      return (...args: readonly unknown[]) => tracing.span(`${prefix}.${key}`, {}, async () => call(args));
    },
  });
}

function traceJudge({ model, ask, compare }: JudgeEndpoint, tracing: Tracing): JudgeEndpoint {
  const attributes = { "gen_ai.request.model": model };
  return {
    model,
    ask: (question) => tracing.span("judge.ask", { attributes }, () => ask(question)),
    compare: (question) => tracing.span("judge.compare", { attributes }, () => compare(question)),
  };
}
