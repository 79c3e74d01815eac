import { createHash } from "node:crypto";
import { parseAst } from "vitest/node";
import { type Change, changesOf, conditionChanges, type Node, numberOf } from "./operators.ts";

/** One change of a source file, which a test should notice. */
export interface Mutant extends Change {
  /** Identifies the mutant even if its line moves, as long as the line's text stays the same. */
  readonly key: string;
  readonly line: number;
  /** The line of the source, trimmed. */
  readonly code: string;
  /** Whether it changes a number in a named constant. */
  readonly isNamed: boolean;
  /** The mutant's number in its file. Mutants of one place have consecutive numbers and are covered together. */
  readonly index: number;
  /** The first number of its place. */
  readonly place: number;
}

interface Site {
  readonly start: number;
  readonly end: number;
  readonly wrap: (inner: string) => string;
}

/** A source file with all its mutants compiled in, each switched off. */
export interface Instrumented {
  readonly mutants: readonly Mutant[];
  /** The text to run; `firstId` is the number of its first mutant. */
  readonly render: (firstId: number) => string;
}

const CONSTANT = /^[A-Z][A-Z0-9_]*$/;
const LOOPS = new Set([
  "ForStatement",
  "ForOfStatement",
  "ForInStatement",
  "WhileStatement",
  "DoWhileStatement",
]);
/** Node types that TypeScript wraps around an expression. */
const TRANSPARENT = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);
/** A comparison has its own mutants, so its strings need no changes. */
const COMPARISONS = new Set(["===", "!=="]);
const SKIPPED = new Set(["ImportDeclaration", "ExportAllDeclaration", "ImportExpression"]);

interface Context {
  /** Whether the node is inside the value of a named constant, but not in a function there. */
  readonly isNamed: boolean;
  /** Whether the node is inside `as const`. Such strings are types, so the compiler notices a change. */
  readonly isType: boolean;
  /** The whole optional chain, which must stay in one piece. */
  readonly chain: Node | null;
}

/** Finds the mutants of a source file; without `isMutated`, only its loops are bounded. */
export function instrument(source: string, isMutated: boolean): Instrumented {
  const program = parseAst(source, { lang: "ts" }) as unknown as Node;
  const mutants: Mutant[] = [];
  const sites: ((firstId: number) => Site)[] = [];
  const seen = new Map<string, number>();
  const lineStarts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];

  function addMutants(changes: readonly (Change & { at: Node })[], isNamed: boolean) {
    const place = mutants.length;
    for (const { at, ...change } of changes) {
      const line = lineStarts.findLastIndex((start) => start <= at.start) + 1;
      const code = source.slice(lineStarts[line - 1], lineStarts[line] ?? source.length).trim();
      const occurrence = `${code}\n${change.change}`;
      const nth = seen.get(occurrence) ?? 0;
      seen.set(occurrence, nth + 1);
      const key = createHash("sha256").update(`${occurrence}\n${nth}`).digest("hex").slice(0, 12);
      mutants.push({ ...change, key, line, code, isNamed, index: mutants.length, place });
    }
    return place;
  }

  /** Puts the changes of an expression behind a switch. */
  function addSite(site: Node, changes: readonly (Change & { at: Node })[], isNamed = false) {
    if (changes.length === 0 || !isMutated) return;
    const place = addMutants(changes, isNamed);
    sites.push((firstId) => ({
      ...site,
      wrap: (inner) => {
        const first = firstId + place;
        const arms = changes.slice(0, -1).map(({ text }, k) => `$m.active===${first + k}?(${text}):`);
        const last = `(${changes.at(-1)?.text})`;
        return `($m.at(${first},${first + changes.length - 1})?${arms.join("")}${last}:(${inner}))`;
      },
    }));
  }

  function addStatement(statement: Node) {
    if (!isMutated) return;
    const text = source.slice(statement.start, statement.end).replace(/\s+/g, " ");
    const place = addMutants([{ at: statement, change: `without ${text}`, text: "" }], false);
    sites.push((firstId) => ({
      ...statement,
      wrap: (inner) => `{if($m.at(${firstId + place},${firstId + place}));else ${inner}}`,
    }));
  }

  /** Changes within an optional chain replace the whole chain, because its parts cannot be replaced alone. */
  function inChain(chain: Node, at: Node, changes: readonly Change[]) {
    const [before, after] = [source.slice(chain.start, at.start), source.slice(at.end, chain.end)];
    return changes.map((change) => ({ ...change, at, text: before + change.text + after }));
  }

  function chainChanges(chain: Node): readonly (Change & { at: Node })[] {
    const changes: (Change & { at: Node })[] = [];
    for (let at = chain.expression as Node | undefined; at !== undefined; at = linkOf(at)) {
      changes.push(...inChain(chain, at, changesOf(at, source, false)));
      if (at.optional !== true) continue;
      const link = linkOf(at) as Node;
      const from = source.indexOf("?.", link.end);
      const isDot = at.type === "MemberExpression" && at.computed !== true;
      const text = source.slice(at.start, from) + (isDot ? "." : "") + source.slice(from + 2, at.end);
      changes.push(...inChain(chain, at, [{ change: `?. → ${isDot ? "." : "without ?."}`, text }]));
    }
    return changes;
  }

  function visit(node: Node, context: Context) {
    if (SKIPPED.has(node.type) || typeof node.directive === "string") return;
    if (node.type.startsWith("TS") && !TRANSPARENT.has(node.type)) return;
    if (context.isType && typeof node.value === "string") return;
    if (node.type === "ExpressionStatement") addStatement(node);
    if (LOOPS.has(node.type))
      sites.push(() => ({ ...(node.body as Node), wrap: (inner) => `{$m.tick();${inner}}` }));
    if (node.type === "ChainExpression") addSite(node, chainChanges(node));
    else if (context.chain === null)
      addSite(
        node,
        changesOf(node, source, context.isNamed).map((change) => ({ ...change, at: node })),
        context.isNamed && typeof numberOf(node) === "number",
      );
    if (context.isNamed && numberOf(node) !== null) return;
    const test = node.test as Node | null | undefined;
    if (test && node.type !== "SwitchCase")
      addSite(
        test,
        conditionChanges(node, source).map((change) => ({ ...change, at: test })),
      );
    for (const [key, child] of childrenOf(node)) visit(child, contextOf(node, key, child, context));
  }

  for (const statement of program.body as readonly Node[])
    visit(statement, { isNamed: false, isType: false, chain: null });
  return {
    mutants,
    render: (firstId) =>
      `const $m = globalThis.__mutants;${render(
        source,
        sites.map((site) => site(firstId)),
      )}`,
  };
}

/** The object of a member access or call in a chain. */
function linkOf(node: Node): Node | undefined {
  if (node.type === "TSNonNullExpression") return node.expression as Node;
  if (node.type === "MemberExpression") return node.object as Node;
  return node.type === "CallExpression" ? (node.callee as Node) : undefined;
}

function contextOf(node: Node, key: string, child: Node, context: Context): Context {
  const isLink = node.type === "ChainExpression" || linkOf(node) === child;
  const chain = node.type === "ChainExpression" ? node : isLink ? context.chain : null;
  if (/Function/.test(node.type)) return { isNamed: false, isType: false, chain };
  const isType = context.isType || isConst(node);
  if (node.type !== "VariableDeclarator" || key !== "init") return { ...context, isType, chain };
  return { isNamed: CONSTANT.test(String((node.id as Node).name)), isType, chain };
}

function isConst({ typeAnnotation }: Node): boolean {
  const name = (typeAnnotation as Node | null | undefined)?.typeName as Node | undefined;
  return name?.name === "const";
}

/** The parts of a node that run, excluding types and names. */
function childrenOf(node: Node): readonly (readonly [string, Node])[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === "key" && node.computed !== true) return [];
    if (key === "property" && node.computed !== true) return [];
    if (COMPARISONS.has(String(node.operator)) && typeof (value as Node).value === "string") return [];
    if (key === "source" && node.type.startsWith("Export")) return [];
    const parts = Array.isArray(value) ? value : [value];
    return parts
      .filter((part): part is Node => typeof part?.type === "string")
      .map((part) => [key, part] as const);
  });
}

/** Wraps every site, the inner ones first. */
function render(source: string, sites: readonly Site[]): string {
  const sorted = sites.toSorted((one, other) => one.start - other.start || other.end - one.end);
  let next = 0;
  function write(start: number, end: number): string {
    let text = "";
    let from = start;
    for (let site = sorted[next]; site && site.start < end; site = sorted[next]) {
      next += 1;
      text += source.slice(from, site.start) + site.wrap(write(site.start, site.end));
      from = site.end;
    }
    return text + source.slice(from, end);
  }
  return write(0, source.length);
}
