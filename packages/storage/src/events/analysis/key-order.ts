import type { ClickHouseSettings } from "@clickhouse/client";

/** The users of a large experiment, and their values of a baseline, are spilled to disk above this size. */
const BYTES_IN_MEMORY = "400000000";

/**
 * Makes the engine read and join in the order of the table's key, whatever parts the table has, so that floating-point
 * sums always add up in the same order. It uses one thread, merges all parts row by row, and keeps the sides of a join and the
 * sort in front of an aggregation.
 */
export const IN_KEY_ORDER: ClickHouseSettings = {
  max_threads: 1,
  optimize_aggregation_in_order: 1,
  enable_vertical_final: 0,
  split_parts_ranges_into_intersecting_and_non_intersecting_final: 0,
  query_plan_join_swap_table: "false",
  join_algorithm: "hash",
  query_plan_remove_redundant_sorting: 0,
  max_bytes_before_external_group_by: BYTES_IN_MEMORY,
  max_bytes_before_external_sort: BYTES_IN_MEMORY,
};
