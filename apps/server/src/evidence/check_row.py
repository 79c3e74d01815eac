#!/usr/bin/env python3
"""Recomputes one row of an Assay run from its evidence, with numpy and scipy.

    pip install numpy scipy            # and pyarrow, for Parquet files
    python3 check_row.py row.csv       # or row.parquet, or several files

It prints the service's numbers next to its own. Exit codes:
  0  the numbers agree
  1  they differ by more than rounding or, if the method is random, by more than chance (5 standard errors)
  2  a file cannot be read

This script shares no code with the service. It was written from docs/statistics.md, and uses scipy's tests where
scipy has them.
"""

import csv
import json
import sys

import numpy as np
from scipy import stats

Z = stats.norm.ppf(0.975)
# Labels of a kind below which a judged interval is wider than the normal one.
MIN_CASES = 10
SIGMAS = 5  # of chance, for random methods
ROUNDING = 1e-9
WORK = 2e8  # numbers drawn at most, about ten seconds
RNG = np.random.default_rng(20260310)


def read_file(path):
    """Returns the head and the columns of a file: texts as lists, numbers as arrays (NaN: absent)."""
    if path.endswith(".parquet"):
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        head = json.loads(table.schema.metadata[b"assay"])
        raw = table.to_pydict()
    else:
        with open(path, encoding="utf-8", newline="") as file:
            head = json.loads(file.readline()[2:])
            names, *lines = csv.reader(file)
        raw = dict(zip(names, zip(*lines))) if lines else {name: () for name in names}
        # The service writes an apostrophe before texts that a spreadsheet would take for a formula.
        raw["arm"] = [
            arm[1:] if arm[:2] in ("'=", "'+", "'-", "'@", "'\t", "'\r", "'\n") else arm for arm in raw["arm"]
        ]
    texts = ("user", "arm", "calls")
    number = lambda value: np.nan if value in ("", None) else float(value)
    return head, {
        name: list(data) if name in texts else np.array([number(value) for value in data])
        for name, data in raw.items()
    }


def by_user(head, columns):
    """Turns judged calls into one line per user. Kinds other than ratio count each user once."""
    keys, first, user = np.unique(columns["user"], return_index=True, return_inverse=True)
    weight, score = columns["weight"], columns["score"]
    y, d = np.bincount(user, weight * score), np.bincount(user, weight)
    if head["kind"] == "binary":
        failed = np.bincount(user, score < head["pass_score"])
        y, d = (failed == 0).astype(float), np.ones(len(keys))
    elif head["kind"] != "ratio":
        y, d = y / d, np.ones(len(keys))
    missing = np.full(len(keys), np.nan)
    arm = [columns["arm"][i] for i in first]
    stratum = columns["stratum"][first]
    return {"arm": arm, "stratum": stratum, "y": y, "d": d, "pre_y": missing, "pre_d": missing}


def strata_of(head, columns):
    """Splits the lines: for each stratum a pair (control, treatment) of columns."""
    arm = np.array(columns["arm"])
    names = (head["row"]["control"], head["row"]["treatment"])

    def pick(name, at):
        own = np.flatnonzero((arm == name) & (columns["stratum"] == at))
        return {
            key: data[own] if isinstance(data, np.ndarray) else [data[i] for i in own]
            for key, data in columns.items()
        }

    return [tuple(pick(name, at) for name in names) for at in np.unique(columns["stratum"])]


def moments(arm):
    y, d = arm["y"], arm["d"]
    gap_y, gap_d = y - y.mean(), d - d.mean()
    return len(y), y.mean(), gap_y @ gap_y, d.mean(), gap_d @ gap_d, gap_y @ gap_d


def given_moments(head):
    """The sums over all users, used when the file has only a sample of them."""
    keys = ("users", "mean_y", "m2_y", "mean_d", "m2_d", "c_y_d")
    of = {(one["stratum"], one["arm"]): tuple(one[key] for key in keys) for one in head["sums"]}
    arms = (head["row"]["control"], head["row"]["treatment"])
    return [tuple(of[at, arm] for arm in arms) for at in sorted({at for at, _ in of})]


def shares_of(sizes):
    """Each stratum's share of all users; sizes are pairs (control, treatment)."""
    users = np.array([sum(pair) for pair in sizes], dtype=float)
    return users / users.sum()


def t_test(effect, variances, sizes):
    """Student's t of a sum of independent variances, with Welch-Satterthwaite's degrees of freedom."""
    variances, sizes = np.array(variances), np.array(sizes)
    se = np.sqrt(variances.sum())
    df = variances.sum() ** 2 / (variances**2 / (sizes - 1)).sum()
    half = stats.t.ppf(0.975, df) * se
    return exact(effect, effect - half, effect + half, 2 * stats.t.sf(abs(effect) / se, df), se)


def exact(effect, low, high, p, se=None):
    """Numbers that only rounding may change."""
    size = abs(effect) + (se or 0) + 1e-300
    bound = lambda value: None if value is None else (value, ROUNDING * (size + abs(value)))
    return {
        "effect": (effect, ROUNDING * size),
        "ci_low": bound(low),
        "ci_high": bound(high),
        "p_value": (max(p, 1e-300), 1e-6 * p + 1e-300),
    }


def constant_arms(pairs):
    """Arms of one value each: the exact permutation is Fisher's test of the two values."""
    shares = shares_of([(c[0], t[0]) for c, t in pairs])
    effect = sum(share * (t[1] - c[1]) for share, (c, t) in zip(shares, pairs))
    parts = [
        1 if np.isclose(c[1], t[1], rtol=1e-12, atol=0) else stats.fisher_exact([[0, c[0]], [t[0], 0]]).pvalue
        for c, t in pairs
    ]
    return exact(effect, None, None, 1 if effect == 0 else float(np.prod(parts)))


def welch_t(pairs, strata):
    if len(pairs) == 1 and strata is not None:
        (control, treatment), (c, t) = strata[0], pairs[0]
        found = stats.ttest_ind(treatment["y"], control["y"], equal_var=False)
        low, high = found.confidence_interval()
        se = np.sqrt(c[2] / (c[0] - 1) / c[0] + t[2] / (t[0] - 1) / t[0])
        return exact(t[1] - c[1], low, high, found.pvalue, se)
    shares = shares_of([(c[0], t[0]) for c, t in pairs])
    effect = sum(share * (t[1] - c[1]) for share, (c, t) in zip(shares, pairs))
    arms = [(share, arm) for share, pair in zip(shares, pairs) for arm in pair]
    variances = [share**2 * m2 / (n - 1) / n for share, (n, _, m2, *_) in arms]
    return t_test(effect, variances, [arm[0] for _, arm in arms])


def ratio_parts(pairs, side):
    """An arm's ratio over all strata, its weighted mean d, and per stratum the linearised mean's variance."""
    shares = shares_of([(c[0], t[0]) for c, t in pairs])
    arms = [pair[side] for pair in pairs]
    mean_d = sum(share * arm[3] for share, arm in zip(shares, arms))
    ratio = sum(share * arm[1] for share, arm in zip(shares, arms)) / mean_d
    variances = [
        (share / mean_d) ** 2 * (m2y + ratio**2 * m2d - 2 * ratio * cyd) / (n - 1) / n
        for share, (n, _, m2y, _, m2d, cyd) in zip(shares, arms)
    ]
    return ratio, mean_d, variances, [arm[0] for arm in arms]


def ratio_delta(pairs):
    (control, _, vc, nc), (treatment, _, vt, nt) = ratio_parts(pairs, 0), ratio_parts(pairs, 1)
    return t_test(treatment - control, vc + vt, nc + nt)


def newcombe(pairs):
    """The difference of two shares and Newcombe's interval from Wilson's limits."""
    shares = shares_of([(c[0], t[0]) for c, t in pairs])
    effect, down, up = 0.0, 0.0, 0.0
    for share, pair in zip(shares, pairs):
        (c, c_low, c_high), (t, t_low, t_high) = (wilson(*arm[:2]) for arm in pair)
        effect += share * (t - c)
        down += share**2 * ((t - t_low) ** 2 + (c_high - c) ** 2)
        up += share**2 * ((t_high - t) ** 2 + (c - c_low) ** 2)
    return effect, max(-1, effect - np.sqrt(down)), min(1, effect + np.sqrt(up))


def wilson(n, mean):
    found = stats.binomtest(round(n * mean), n).proportion_ci(0.95, method="wilson")
    return mean, found.low, found.high


def two_proportion_z(pairs):
    shares = shares_of([(c[0], t[0]) for c, t in pairs])
    variance = 0.0
    for share, ((n, x, *_), (m, y, *_)) in zip(shares, pairs):
        pooled = (n * x + m * y) / (n + m)
        variance += share**2 * pooled * (1 - pooled) * (1 / n + 1 / m)
    effect, low, high = newcombe(pairs)
    p = 1 if variance == 0 else 2 * stats.norm.sf(abs(effect) / np.sqrt(variance))
    return exact(effect, low, high, p, np.sqrt(variance))


def fisher_exact(pairs):
    table = [[round(n * mean), n - round(n * mean)] for n, mean, *_ in pairs[0]]
    effect, low, high = newcombe(pairs)
    return exact(effect, low, high, stats.fisher_exact(table).pvalue, high - low)


def relabeled(scores, shares, count):
    """|t| of random relabelings; scores are pairs (control, treatment) per stratum, and group sizes stay."""
    difference, variance = np.zeros(count), np.zeros(count)
    for share, (control, treatment) in zip(shares, scores):
        pooled = np.concatenate([treatment, control])
        pooled = pooled - pooled.mean()
        n, m = len(treatment), len(control)
        step = max(1, int(4e6 / len(pooled)))
        for at in range(0, count, step):
            own = slice(at, min(count, at + step))
            lots = RNG.permuted(np.tile(pooled, (own.stop - own.start, 1)), axis=1)
            first, second = lots[:, :n], lots[:, n:]
            difference[own] += share * (first.mean(axis=1) - second.mean(axis=1))
            variance[own] += share**2 * (first.var(axis=1, ddof=1) / n + second.var(axis=1, ddof=1) / m)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 0, np.abs(difference) / np.sqrt(variance))


def permutation(scores, row, effect, kappa=1.0, bounds=(-np.inf, np.inf), outer=None):
    """Student's statistic under relabelings: p, and the interval that excludes 0 exactly when p <= .05.

    outer: the effect's own standard error and the least critical value, where the scores only give p.
    """
    shares = shares_of([(len(c), len(t)) for c, t in scores])
    difference = sum(share * (t.mean() - c.mean()) for share, (c, t) in zip(shares, scores))
    variance = sum(
        share**2 * (c.var(ddof=1) / len(c) + t.var(ddof=1) / len(t)) for share, (c, t) in zip(shares, scores)
    )
    users = sum(len(c) + len(t) for c, t in scores)
    count = int(np.clip(WORK / users, 499, 9_999))
    sizes = np.sort(relabeled(scores, shares, count))
    size = abs(difference) / np.sqrt(variance) if variance > 0 else np.inf
    p = (np.count_nonzero(sizes >= size * (1 - 1e-9)) + 1) / (count + 1)
    theirs = row["permutations_used"]
    # Half an order of a relabeling: exact p-values of few users come in steps.
    p_error = SIGMAS * np.sqrt(p * (1 - p) * (1 / theirs + 1 / count)) + 1 / theirs + 1 / count
    spread = SIGMAS * np.sqrt(0.05 * 0.95 * (1 / theirs + 1 / count))
    se, least = (np.sqrt(variance) / kappa, 0) if outer is None else outer
    if row["ci_low"] is None:
        return {**exact(effect, None, None, p, se), "p_value": (p, p_error)}

    def interval(level):
        critical = max(least, np.quantile(sizes, 1 - np.clip(level, 0, 1)))
        half = critical * se
        if row["p_value"] > 0.05:
            half = max(half, abs(effect))
        elif outer is None and size > 0:
            half = min(half, abs(effect) * critical / size)
        return max(bounds[0], effect - half), min(bounds[1], effect + half)

    low, high = interval(0.05)
    wide, narrow = interval(0.05 - spread), interval(0.05 + spread)
    return {
        "effect": (effect, ROUNDING * (abs(effect) + se)),
        "ci_low": (low, max(low - wide[0], narrow[0] - low) + ROUNDING * se),
        "ci_high": (high, max(wide[1] - high, high - narrow[1]) + ROUNDING * se),
        "p_value": (p, p_error),
    }


def permuted_means(strata, row, bounds=(-np.inf, np.inf)):
    scores = [(c["y"], t["y"]) for c, t in strata]
    shares = shares_of([(len(c), len(t)) for c, t in scores])
    effect = sum(share * (t.mean() - c.mean()) for share, (c, t) in zip(shares, scores))
    return permutation(scores, row, effect, bounds=bounds)


def permuted_shares(pairs, row):
    zeros_and_ones = lambda n, mean: np.repeat([0.0, 1.0], [n - round(n * mean), round(n * mean)])
    strata = [tuple({"y": zeros_and_ones(*arm[:2])} for arm in pair) for pair in pairs]
    return permuted_means(strata, row, (-1, 1))


def permuted_ratios(pairs, strata, row):
    total = lambda key: sum(arm[key].sum() for pair in strata for arm in pair)
    pooled = total("y") / total("d")
    scores = [tuple(arm["y"] - pooled * arm["d"] for arm in pair) for pair in strata]
    (control, dc, _, nc), (treatment, dt, _, nt) = ratio_parts(pairs, 0), ratio_parts(pairs, 1)
    n, m = sum(nc), sum(nt)
    kappa = dc * dt * (n + m) / (m * dt + n * dc)
    return permutation(scores, row, treatment - control, kappa)


def mann_whitney_u(strata):
    pairs = [(c["y"], t["y"]) for c, t in strata]
    shares = shares_of([(len(c), len(t)) for c, t in pairs])
    effect, variances, sizes, gap, null, steps = 0.0, [], [], 0.0, 0.0, []
    for share, (c, t) in zip(shares, pairs):
        n, m = len(c), len(t)
        places = lambda own, other: (
            (np.searchsorted(other, own, "left") + np.searchsorted(other, own, "right")) / (2 * len(other))
        )
        of_t, of_c = places(t, np.sort(c)), places(c, np.sort(t))
        effect += share * (of_t.mean() - 0.5)
        variances += [share**2 * of_c.var(ddof=1) / n, share**2 * of_t.var(ddof=1) / m]
        sizes += [n, m]
        ties = np.unique(np.concatenate([c, t]), return_counts=True)[1].astype(float)
        null += (
            (share / n / m) ** 2 * n * m / 12 * (n + m + 1 - (ties**3 - ties).sum() / (n + m) / (n + m - 1))
        )
        gap += share * (of_t.mean() - 0.5)
        steps.append(share / n / m / 2)
    if len(pairs) == 1 and null > 0:
        c, t = pairs[0]
        has_ties = len(np.unique(np.concatenate([c, t]))) < len(c) + len(t)
        method = "exact" if max(len(c), len(t)) <= 25 and not has_ties else "asymptotic"
        p = stats.mannwhitneyu(t, c, method=method).pvalue
    else:
        p = 1 if null == 0 else 2 * stats.norm.sf(max(0, abs(gap) - min(steps)) / np.sqrt(null))
    if sum(variances) == 0:
        return exact(effect, None, None, p)
    found = t_test(effect, variances, sizes)
    cut = lambda bound: (float(np.clip(bound[0], -0.5, 0.5)), bound[1])
    return {
        **found,
        "ci_low": cut(found["ci_low"]),
        "ci_high": cut(found["ci_high"]),
        "p_value": (p, 1e-6 * p),
    }


def cuped(strata):
    """Adjusts y by the values from before; a user without them counts as the stratum's mean there."""
    sums, adjusted = np.zeros(2), []
    for pair in strata:
        seen = [~np.isnan(arm["pre_y"]) for arm in pair]
        known = sum(own.sum() for own in seen)
        mean = lambda key: sum(arm[key][own].sum() for arm, own in zip(pair, seen)) / max(known, 1)
        fill = {"pre_y": mean("pre_y"), "pre_d": mean("pre_d")}
        whole = [
            {**arm, **{key: np.where(own, arm[key], fill[key]) for key in fill}}
            for arm, own in zip(pair, seen)
        ]
        total = lambda key: sum(arm[key].sum() for arm in whole)
        users = sum(len(arm["y"]) for arm in pair)
        if known > 0:
            linear = lambda arm, y, d: (arm[y] - arm[y].sum() / arm[d].sum() * arm[d]) / arm[d].mean()
            for arm in whole:
                both = np.cov(linear(arm, "y", "d"), linear(arm, "pre_y", "pre_d"))
                sums += users * both[:, 1]
            scale = total("d") / total("pre_d")
            ratio = total("pre_y") / total("pre_d")
            gaps = [
                np.where(own, scale * (a["pre_y"] - ratio * a["pre_d"]), 0) for a, own in zip(whole, seen)
            ]
        else:
            gaps = [np.zeros(len(arm["y"])) for arm in pair]
        adjusted.append((pair, gaps))
    theta = sums[0] / sums[1]
    return [tuple({**a, "y": a["y"] - theta * gap} for a, gap in zip(pair, gaps)) for pair, gaps in adjusted]


def edges(bins):
    """The edges of fine bins: 2% apart, bin -40000 for 0, and negative values mirrored below it."""
    size = np.where(bins > -40_000, bins, -80_000 - bins).astype(float)
    low, high = 1.02 ** (size - 1), 1.02**size
    zero = bins == -40_000
    return (
        np.where(zero, 0, np.where(bins > -40_000, low, -high)),
        np.where(zero, 0, np.where(bins > -40_000, high, -low)),
    )


class Calls:
    """The calls of an arm's users by bin, one group per stratum."""

    def __init__(self, groups, bins):
        self.low, self.high = edges(bins)
        self.groups = []
        for calls in groups:
            user = np.repeat(np.arange(len(calls)), [len(own) for own in calls])
            entries = np.array([entry for own in calls for entry in own])
            self.groups.append(
                (user, np.searchsorted(bins, entries[:, 0]), entries[:, 1].astype(float), len(calls))
            )

    def mass(self, weights):
        size = len(self.low)
        parts = (np.bincount(at, n * w[user], size) for (user, at, n, _), w in zip(self.groups, weights))
        return sum(parts)

    def effective_users(self):
        """As many users with equally many calls would say as much (Kish)."""
        calls = np.concatenate([np.bincount(user, n, users) for user, _, n, users in self.groups])
        return calls.sum() ** 2 / (calls**2).sum()

    def scores(self, position, q):
        """Per user: the calls at or below the position beyond the share q of them."""
        place, fraction = position
        at_or_below = (np.arange(len(self.low)) < place).astype(float)
        at_or_below[place] = fraction
        return [np.bincount(user, n * (at_or_below - q)[at], users) for user, at, n, users in self.groups]

    def estimate(self, q, shares, times=None):
        """The quantile, and the variance from the interval that the share's own interval maps to."""
        times = times or [np.ones(users) for *_, users in self.groups]
        users = np.array([own.sum() for own in times])
        weights = shares * users.sum() / users
        mass = self.mass([w * own for w, own in zip(weights, times)])
        position = locate(mass, q)
        spread = 0.0
        for w, own, n, scores in zip(weights, times, users, self.scores(position, q)):
            mean = own @ scores / n
            spread += w**2 * n / (n - 1) * (own @ (scores - mean) ** 2)
        reach = Z * np.sqrt(spread) / mass.sum()
        if not 0 < q - reach < q + reach < 1:
            return self.value(position), np.nan
        low, high = (self.value(locate(mass, share)) for share in (q - reach, q + reach))
        return self.value(position), ((high - low) / 2 / Z) ** 2

    def value(self, position):
        place, fraction = position
        return self.low[place] + fraction * (self.high[place] - self.low[place])


def locate(mass, share):
    total = np.cumsum(mass)
    place = int(np.searchsorted(total, share * total[-1], "left"))
    return place, min(1.0, (share * total[-1] - (total[place] - mass[place])) / mass[place])


def calls_of(strata):
    """Both arms' calls, the bins numbered alike, and the strata's shares of users."""
    lists = [tuple([json.loads(text) for text in arm["calls"]] for arm in pair) for pair in strata]
    bins = np.unique([entry[0] for pair in lists for arm in pair for own in arm for entry in own])
    return (
        *(Calls([pair[side] for pair in lists], bins) for side in (0, 1)),
        shares_of([(len(c), len(t)) for c, t in lists]),
    )


def cluster_quantile(strata, row, q):
    control, treatment, shares = calls_of(strata)
    (c, var_c), (t, var_t) = control.estimate(q, shares), treatment.estimate(q, shares)
    if row["ci_low"] is None:
        return exact(t - c, None, None, 1)
    se = np.sqrt(var_c + var_t)
    found = exact(t - c, t - c - Z * se, t - c + Z * se, 2 * stats.norm.sf(abs(t - c) / se), se)
    if row["permutations_used"] > 0:
        ones = lambda arm: [np.ones(users) for *_, users in arm.groups]
        pooled = locate(control.mass(ones(control)) + treatment.mass(ones(treatment)), q)
        scores = list(zip(control.scores(pooled, q), treatment.scores(pooled, q)))
        variances = np.array([var_c, var_t])
        df = (
            variances.sum() ** 2
            / (variances**2 / [arm.effective_users() - 1 for arm in (control, treatment)]).sum()
        )
        permuted = permutation(scores, row, t - c, outer=(se, stats.t.ppf(0.975, df)))
        # With a permuted p, older versions of Assay gave the normal interval; newer ones give this wider one.
        is_normal = abs((row["ci_high"] - row["ci_low"]) / 2 / Z / se - 1) < 1e-6
        return {**permuted, **({"ci_low": found["ci_low"], "ci_high": found["ci_high"]} if is_normal else {})}
    return found


def ratio_estimate(arms, shares, times):
    means = [((n := own.sum()), own @ arm["y"] / n, own @ arm["d"] / n) for arm, own in zip(arms, times)]
    mean_d = sum(share * d for share, (_, _, d) in zip(shares, means))
    ratio = sum(share * y for share, (_, y, _) in zip(shares, means)) / mean_d
    variance = 0.0
    for share, arm, own, (n, y, d) in zip(shares, arms, times, means):
        gaps = arm["y"] - ratio * arm["d"] - (y - ratio * d)
        variance += (share / mean_d) ** 2 * (own @ gaps**2) / (n - 1) / n
    return ratio, variance


def cluster_bootstrap(strata, row, q):
    """Whole users with Poisson(1) weights, percentile-t."""
    if q is None:
        sizes = [tuple(len(arm["y"]) for arm in pair) for pair in strata]
        shares = shares_of(sizes)
        arms = [[pair[side] for pair in strata] for side in (0, 1)]
        estimate = lambda side, times: ratio_estimate(arms[side], shares, times)
        work = sum(map(sum, sizes))
    else:
        *calls, shares = calls_of(strata)
        sizes = [(len(c["calls"]), len(t["calls"])) for c, t in strata]
        estimate = lambda side, times: calls[side].estimate(q, shares, times)
        work = sum(len(user) for arm in calls for user, *_ in arm.groups)

    def difference(draw):
        (c, var_c), (t, var_t) = (estimate(side, [draw(pair[side]) for pair in sizes]) for side in (0, 1))
        return t - c, np.sqrt(var_c + var_t)

    effect, se = difference(np.ones)
    count, theirs = int(np.clip(WORK / work / 20, 199, 999)), row["permutations_used"]
    replicates = np.array(
        [difference(lambda users: RNG.poisson(1, users).astype(float)) for _ in range(count)]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = np.sort((replicates[:, 0] - effect) / replicates[:, 1])
    deviations = deviations[~np.isnan(deviations)]
    tail = min((deviations >= effect / se).sum(), (deviations <= effect / se).sum())
    p = min(1, 2 * (tail + count - len(deviations) + 1) / (count + 1))
    chance = lambda share: SIGMAS * np.sqrt(share * (1 - share) * (1 / count + 1 / theirs))
    at = lambda share: effect - se * np.quantile(deviations, np.clip(share, 0.5 / count, 1 - 0.5 / count))
    bound = lambda share: (
        at(share),
        max(map(lambda s: abs(at(s) - at(share)), (share - chance(share), share + chance(share)))),
    )
    p_error = 2 * chance(p / 2) + 2 / count + 2 / theirs
    return {
        "effect": (effect, ROUNDING * (abs(effect) + se)),
        "ci_low": bound(0.975),
        "ci_high": bound(0.025),
        "p_value": (p, p_error),
    }


def ppi_z(head, columns):
    """Prediction-powered inference with tuned weight (PPI++), and the jackknife over users."""
    strata = strata_of(head, columns)
    row = head["recomputed"] or head["row"]
    sizes = [tuple(len(set(arm["user"])) for arm in pair) for pair in strata]
    shares = shares_of(sizes)
    estimates, is_rare = [], False
    for side in (0, 1):
        parts = [pair[side] for pair in strata]
        user = np.unique([name for arm in parts for name in arm["user"]], return_inverse=True)[1]
        weight = np.concatenate(
            [arm["weight"] * share / size[side] for arm, share, size in zip(parts, shares, sizes)]
        )
        if head["kind"] == "mean":
            own = np.bincount(user, np.concatenate([arm["weight"] for arm in parts]))
            weight = weight / own[user]
        score, label = (np.concatenate([arm[key] for arm in parts]) for key in ("score", "label"))
        estimates.append(ppi_mean(user, weight, score, label))
        labels = label[~np.isnan(label)]
        kinds = ((labels == 1).sum(), (labels == 0).sum(), (labels != score[~np.isnan(label)]).sum())
        is_rare = is_rare or min(kinds) < MIN_CASES
    (c, var_c), (t, var_t) = estimates
    se = np.sqrt(var_c + var_t)
    found = exact(t - c, t - c - Z * se, t - c + Z * se, 2 * stats.norm.sf(abs(t - c) / se), se)
    if is_rare:
        # Betting widens the interval then: it must hold the normal one.
        if row["ci_low"] <= t - c - Z * se:
            del found["ci_low"]
        if row["ci_high"] >= t - c + Z * se:
            del found["ci_high"]
    return found


def ppi_mean(user, weight, score, label):
    has = ~np.isnan(label)
    size = lambda w: w.sum() ** 2 / (w**2).sum()
    mean = lambda w, x: w @ x / w.sum()
    scale, lam = size(weight), 0.0
    if len(set(user[~has])) >= 2:
        variance = mean(weight, (score - mean(weight, score)) ** 2) * scale / (scale - 1)
        w, y, f = weight[has], label[has], score[has]
        both = mean(w, (y - mean(w, y)) * (f - mean(w, f)))
        lam = both / (1 + size(w) / size(weight[~has])) / variance if variance > 0 else 0.0
        lam = min(1.0, lam) if lam > 0 else 0.0
    parts = [(has, label - lam * score)] + ([(~has, lam * score)] if lam > 0 else [])
    value, shift, seen = 0.0, np.zeros(user.max() + 1), np.zeros(user.max() + 1, bool)
    for part, x in parts:
        w, own, x = weight[part], user[part], x[part]
        centre = mean(w, x)
        value += centre
        shift -= np.bincount(own, w * (x - centre), len(shift)) / (w.sum() - np.bincount(own, w, len(shift)))
        seen[own] = True
    n = seen.sum()
    return value, (n - 1) / n * (shift**2).sum()


def compute(head, columns, row):
    """Computes effect, interval and p, each with the difference that rounding or chance may make."""
    test, quantile = row["test"], head["quantile"]
    if test == "ppi_z":
        return ppi_z(head, columns)
    if "score" in columns:
        columns = by_user(head, columns)
    strata = strata_of(head, columns)
    if test == "cluster_quantile":
        return cluster_quantile(strata, row, quantile)
    if test == "cluster_bootstrap":
        return cluster_bootstrap(strata, row, quantile)
    if row["cuped"] is not None:
        strata = cuped(strata)
    pairs = [tuple(map(moments, pair)) for pair in strata] if head["is_complete"] else given_moments(head)
    is_ratio = head["kind"] == "ratio"
    if test == "permutation" and row["permutations_used"] == 0:
        return constant_arms(
            [tuple((a[0], a[1] / a[3] if is_ratio else a[1]) for a in pair) for pair in pairs]
        )
    if test == "permutation" and head["kind"] == "binary":
        return permuted_shares(pairs, row)
    methods = {
        "welch_t": lambda: welch_t(pairs, strata if head["is_complete"] else None),
        "ratio_delta": lambda: ratio_delta(pairs),
        "two_proportion_z": lambda: two_proportion_z(pairs),
        "fisher_exact": lambda: fisher_exact(pairs),
        "mann_whitney_u": lambda: mann_whitney_u(strata),
        "permutation": lambda: (
            permuted_ratios(pairs, strata, row) if is_ratio else permuted_means(strata, row)
        ),
    }
    return methods[test]()


def differs(theirs, own):
    if theirs is None or own is None:
        return (theirs is None) != (own is None)
    return not abs(theirs - own[0]) <= own[1]


def check(path):
    """Prints the service's numbers from a file next to those computed here. Returns the exit code."""
    try:
        head, columns = read_file(path)
    except (OSError, ImportError, LookupError, ValueError) as error:
        print(f"{path} cannot be read as evidence: {error!r}", file=sys.stderr)
        return 2
    stored, row = head["row"], head["recomputed"] or head["row"]
    run = f"{head['computed_for']} revision {head['revision']}"
    print(f"{row['metric']}: {row['treatment']} against {row['control']}, {run}")
    print(f"test {row['test']}, {len(columns['user'])} lines, CUPED {'yes' if row['cuped'] else 'no'}")
    if head["note"]:
        print(f"NOTE: {head['note']}")
    if not head["is_complete"]:
        print("The row was computed from sums over all users. The file contains these sums and a sample of the users.")
    own = compute(head, columns, row)
    if "users_per_arm" in row:
        print("Each line is a unit. Errors clustered by user are not recomputed here, so only the effect is compared.")
        own = {"effect": own["effect"]}
    write = lambda value: "none" if value is None else f"{value:.12g}"
    print(f"{'':10}{'service':>22}{'here':>22}{'may differ by':>16}")
    for name, found in own.items():
        value, error = found or (None, 0)
        mark = "  <-- DIFFERS" if differs(row[name], found) else ""
        print(f"{name:10}{write(row[name]):>22}{write(value):>22}{error:>16.2g}{mark}")
        if head["recomputed"]:
            print(f"{'':10}{write(stored[name]):>22}  in the stored run")
    wrong = [name for name, found in own.items() if differs(row[name], found)]
    print(f"DIFFERENT: {', '.join(wrong)}." if wrong else "The numbers agree.")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(max([check(path) for path in sys.argv[1:]]))
