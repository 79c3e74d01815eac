import type { EngineClient } from "../events/engine/engine-client.ts";

/**
 * Makes one client of several nodes, as a load balancer in front of a cluster does: every query goes to another node. It
 * stands in, too, for what a node without ClickHouse Keeper lacks: a statement `ON CLUSTER` runs on each node by itself, and
 * tables are not replicated. That the real statement can be read, the node says first.
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
    insert: (...insert) => next().insert(...insert),
    ping: () => next().ping(),
    close: async () => void (await Promise.all(nodes.map((node) => node.close()))),
  };
}

const ON_CLUSTER = / ON CLUSTER `[^`]+`/;
