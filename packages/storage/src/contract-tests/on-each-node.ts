import type { EngineClient } from "../events/engine/engine-client.ts";

/**
 * Combines clients of several nodes into one, like a load balancer in front of a cluster: each query goes to the next
 * node. It also replaces what needs ClickHouse Keeper: it runs a statement `ON CLUSTER` on each node separately, without
 * replicated tables, after a node has parsed the real statement.
 */
export function onEachNode(nodes: readonly EngineClient[]): EngineClient {
  let turn = 0;
  const next = (): EngineClient => nodes[turn++ % nodes.length]!;
  return {
    async command(sql, params, settings) {
      if (!ON_CLUSTER.test(sql)) return next().command(sql, params, settings);
      await next().rows("SELECT formatQuery({sql: String})", { sql });
      const alone = sql.replace(ON_CLUSTER, "").replace("ENGINE = Replicated", "ENGINE = ");
      for (const node of nodes) await node.command(alone, params, settings);
    },
    rows: (...query) => next().rows(...query),
    rowBinary: (...query) => next().rowBinary(...query),
    native: (...query) => next().native(...query),
    insert: (...insert) => next().insert(...insert),
    ping: () => next().ping(),
    close: async () => void (await Promise.all(nodes.map((node) => node.close()))),
  };
}

const ON_CLUSTER = / ON CLUSTER `[^`]+`/;
