"""Analyses the experiments of a night with DuckDB and with tea-tasting, and prints their processor time as JSON.

Usage: rivals.py <folder with one Parquet file per experiment> <control>
"""

import json
import sys
import time
from pathlib import Path

import ibis
import tea_tasting as tt

FIRST = """
  SELECT user_id, arg_min(variant, (occurred_at, event_id)) AS arm, min(occurred_at) AS t0
  FROM events WHERE experiment_id = '{experiment}' AND type = 'exposure' GROUP BY user_id"""

VALUES = """
  ifnull(sum(latency_ms), 0) AS {prefix}latency, count(latency_ms) AS {prefix}calls, ifnull(sum(cost_usd), 0) AS {prefix}cost,
  ifnull(sum(value) FILTER (WHERE business_metric = 'purchase'), 0) AS {prefix}revenue"""

# One row per user: the values since the first exposure, and the values from the 14 days before the day
# of that exposure, in any experiment.
USERS = f"""
WITH first_exposures AS ({FIRST}),
own AS (
  SELECT f.user_id, any_value(arm) AS arm, {VALUES.format(prefix="")},
    count(*) FILTER (WHERE business_metric = 'purchase' AND value != 0) > 0 AS bought
  FROM first_exposures f LEFT JOIN events e
    ON e.user_id = f.user_id AND e.experiment_id = '{{experiment}}' AND e.type != 'exposure' AND e.occurred_at >= f.t0
  GROUP BY f.user_id
),
past AS (
  SELECT f.user_id, {VALUES.format(prefix="pre_")}
  FROM first_exposures f JOIN events e ON e.user_id = f.user_id
  WHERE e.type != 'exposure' AND e.occurred_at < date_trunc('day', f.t0)
    AND e.occurred_at >= date_trunc('day', f.t0) - INTERVAL 14 DAY
  GROUP BY f.user_id
)
SELECT arm, latency, calls, cost, revenue, bought::INT AS bought, ifnull(pre_latency, 0) AS pre_latency,
  ifnull(pre_calls, 0) AS pre_calls, ifnull(pre_cost, 0) AS pre_cost, ifnull(pre_revenue, 0) AS pre_revenue
FROM own LEFT JOIN past USING (user_id)"""

BY_ARM = f"""
SELECT arm, count(*), sum(cost), sum(revenue), sum(bought), var_samp(cost), var_samp(revenue), avg(latency), avg(calls),
  var_samp(latency), var_samp(calls), covar_samp(latency, calls), var_samp(pre_cost), covar_samp(cost, pre_cost),
  var_samp(pre_revenue), covar_samp(revenue, pre_revenue), var_samp(pre_latency), var_samp(pre_calls),
  covar_samp(latency, pre_latency), covar_samp(calls, pre_calls), covar_samp(pre_latency, pre_calls)
FROM ({USERS}) GROUP BY arm ORDER BY arm"""

P95 = f"""
WITH first_exposures AS ({FIRST})
SELECT arm, quantile_cont(latency_ms, 0.95)
FROM first_exposures f JOIN events e
  ON e.user_id = f.user_id AND e.experiment_id = '{{experiment}}' AND e.type = 'model_call' AND e.occurred_at >= f.t0
GROUP BY arm ORDER BY arm"""


def by_hand(connection, experiment):
    arms = connection.execute(BY_ARM.format(experiment=experiment)).fetchall()
    connection.execute(P95.format(experiment=experiment)).fetchall()
    return {arm: [users, cost, revenue, bought] for arm, users, cost, revenue, bought, *_ in arms}


def tea_tasting(backend, experiment, control):
    users = backend.sql(USERS.format(experiment=experiment))
    analysis = tt.Experiment(
        latency=tt.RatioOfMeans("latency", "calls", "pre_latency", "pre_calls"),
        cost=tt.Mean("cost", "pre_cost"),
        revenue=tt.Mean("revenue", "pre_revenue"),
        bought=tt.Proportion("bought"),
        variant="arm",
    )
    pairs = analysis.analyze(users, control, all_variants=True)
    return len([pair for pair in pairs if pair[0] == control])


def timed(run):
    started = time.process_time()
    answer = run()
    return time.process_time() - started, answer


def main(folder, control):
    files = sorted(Path(folder).glob("*.parquet"))
    backend = ibis.duckdb.connect(threads=1)
    connection = backend.con
    names = ", ".join(f"'{file}'" for file in files)
    connection.execute(f"CREATE TABLE events AS SELECT * FROM read_parquet([{names}]) ORDER BY experiment_id, user_id")
    report = {"duckdb": [], "tea-tasting": [], "arms": {}}
    for file in files:
        experiment = file.stem
        seconds, report["arms"][experiment] = timed(lambda: by_hand(connection, experiment))
        report["duckdb"].append(seconds)
        seconds, pairs = timed(lambda: tea_tasting(backend, experiment, control))
        report["tea-tasting"].append(seconds)
        if pairs < 2:
            raise SystemExit(f"tea-tasting compared {pairs} variants with {control}.")
    print(json.dumps(report))


main(*sys.argv[1:])
