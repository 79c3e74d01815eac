/** Minimum number of users with a judged input for a verdict. An input without a known user counts as a user of its own. */
export const MIN_REHEARSED_USERS = 30;
/** If a larger share of an arm's answers failed, the comparison would mostly be about failures. */
export const MAX_FAILED_SHARE = 0.2;
/** Fewer failed answers of an arm say nothing about their share. */
export const MIN_FAILED_ANSWERS = 10;
/** From this share of failed judgements on, the judged answers may no longer represent all (as in the check `judge-failures`). */
export const MAX_UNJUDGED_SHARE = 0.05;
/** Fewer failed judgements say nothing about their share. */
export const MIN_UNJUDGED = 5;
/** Above this share of contradictory pairs the judge is useless: a coin toss would contradict itself in half of them. */
export const MAX_INCONSISTENT_SHARE = 0.6;
/** Number of picks for which the always-valid interval of a corrected row is tightest. */
export const EXPECTED_PICKS = 200;
