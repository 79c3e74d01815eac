/**
 * Compiles the function `(...parameters) => expression`; `uses` are further names that the expression may use. Use it for code
 * that is derived from the table of fields and runs for every event. A loop over the table would be slow, because V8 reads
 * `row[name]` with changing names several times more slowly than `row.latency_ms`. The text must come from the program itself,
 * never from a request.
 */
export function compile<F>(
  parameters: readonly string[],
  expression: string,
  uses: Readonly<Record<string, unknown>>,
): F {
  const code = `"use strict"; return (${parameters.join(", ")}) => (${expression});`;
  return new Function(...Object.keys(uses), code)(...Object.values(uses)) as F;
}
