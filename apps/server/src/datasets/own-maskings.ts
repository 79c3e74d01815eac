import type { Masking, OwnMaskingRule, Passage } from "@assay/domain";
import { RE2JS } from "re2js";

/** Steps of an expression's program. Each step may look at every character of an input. */
const MAX_STEPS = 500;

/** Compiles an org's expressions. They take linear time: RE2 has no backtracking. */
export function ownMaskings(rules: readonly OwnMaskingRule[]): readonly Masking[] {
  return rules.map(({ name, pattern }) => {
    const expression = RE2JS.compile(pattern);
    return { name, find: (text) => findAll(expression, text) };
  });
}

function findAll(expression: RE2JS, text: string): readonly Passage[] {
  const matcher = expression.matcher(text);
  const found: Passage[] = [];
  while (matcher.find()) if (matcher.end() > matcher.start()) found.push([matcher.start(), matcher.end()]);
  return found;
}

/** Returns what is wrong with an expression, or null. */
export function faultOfPattern(pattern: string): string | null {
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern);
  } catch (error) {
    const reason = (error as Error).message.replace("error parsing regexp: ", "");
    return `is not a regular expression in RE2's syntax, which has no look-around and no backreferences: ${reason}.`;
  }
  if (expression.matches(""))
    return "matches the empty string: write an expression that matches at least one character.";
  return expression.programSize() > MAX_STEPS ? "is too complex: use smaller repetition counts." : null;
}
