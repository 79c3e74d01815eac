import { type AgentScope, endOwnRun, type FrameworkRun, startRun } from "./agent-events.ts";
import { keepNewest, MANY_PARTS } from "./keep-newest.ts";
import { fieldAt, textAt } from "./model-call/foreign-value.ts";

/** The outermost chain that LangChain reports: a graph, or something else. */
interface Root {
  readonly id: string;
  /** Whether it runs inside a node of another graph, whose metadata is inherited by everything inside. */
  readonly isInGraph: boolean;
  /** The run of a graph, set when its first node starts. Null when it should not be recorded. */
  run?: FrameworkRun | null;
}

/** Finds the runs of LangGraph's graphs by the ids of the chains around a call. */
export class LangchainRuns {
  /** The outermost chain of each chain, by the chain's id. */
  readonly #roots = new Map<string, Root>();

  /** A chain starts. */
  start(scope: AgentScope, id: string, parent: unknown, metadata: unknown): void {
    const root = this.#roots.get(`${parent}`) ?? { id, isInGraph: isInNode(metadata) };
    keepNewest(this.#roots, id, root, MANY_PARTS);
    if (root.id !== id) noteInner(root, scope, metadata);
  }

  /** A chain has ended. */
  end(id: string, completed: boolean): void {
    const root = this.#roots.get(id);
    this.#roots.delete(id);
    if (root?.id === id) endOwnRun(root.run, completed);
  }

  /** Returns the scope of a call that starts. */
  place(scope: AgentScope, parent: unknown, metadata: unknown): AgentScope {
    const root = this.#roots.get(`${parent}`);
    if (root) noteInner(root, scope, metadata);
    const agentName = textAt(metadata, "lc_agent_name");
    return { ...scope, run: root?.run?.run, ...(agentName && { agentName }) };
  }
}

/** Only the nodes of a graph have this. */
const isInNode = (metadata: unknown) => fieldAt(metadata, "langgraph_node") !== undefined;

function noteInner(root: Root, scope: AgentScope, metadata: unknown): void {
  if (root.run === undefined && !root.isInGraph && isInNode(metadata)) root.run = startRun(scope, root.id);
}
