/**
 * Makes the function `(...parameters) => expression`; `uses` are the names that the expression may use besides. For code
 * that derives from the table of fields and runs per event: V8 reads `row[name]` for ever new names several times as slowly
 * as `row.latency_ms`, so a loop over the table would cost what the fields written out by hand do not. The text must come
 * from the program itself, never from a request.
 */
export function compile<F>(
  parameters: readonly string[],
  expression: string,
  uses: Readonly<Record<string, unknown>>,
): F {
  const code = `"use strict"; return (${parameters.join(", ")}) => (${expression});`;
  return new Function(...Object.keys(uses), code)(...Object.values(uses)) as F;
}
