/** Users with a judged input, before a treatment gets a verdict. An input without a known user counts as a user of its own. */
export const MIN_REHEARSED_USERS = 30;
/** Share of failed answers of an arm above which what was compared is failures. */
export const MAX_FAILED_SHARE = 0.2;
/** Fewer failed answers of an arm say nothing about their share. */
export const MIN_FAILED_ANSWERS = 10;
/** Share of failed judgements from which on the judged answers may be a choice of the judge (as in the check `judge-failures`). */
export const MAX_UNJUDGED_SHARE = 0.05;
/** Fewer failed judgements say nothing about their share. */
export const MIN_UNJUDGED = 5;
/** Share of contradicting pairs above which the judge says nothing: a coin contradicts itself in half of them. */
export const MAX_INCONSISTENT_SHARE = 0.6;
/** Picks that the always-valid interval of a corrected row is tightest for. */
export const EXPECTED_PICKS = 200;
