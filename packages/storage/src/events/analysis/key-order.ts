import type { ClickHouseSettings } from "@clickhouse/client";

/**
 * Makes the engine read and join in the order of the table's key, whatever parts the table has, so that floating-point
 * sums always add up in the same order. It uses one thread, merges all parts row by row, and keeps the sides of a join.
 */
export const IN_KEY_ORDER: ClickHouseSettings = {
  max_threads: 1,
  optimize_aggregation_in_order: 1,
  enable_vertical_final: 0,
  split_parts_ranges_into_intersecting_and_non_intersecting_final: 0,
  query_plan_join_swap_table: "false",
  join_algorithm: "hash",
};
