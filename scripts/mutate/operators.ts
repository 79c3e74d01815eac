/** A node of the syntax tree (ESTree with TypeScript), with the fields that the operators read. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** One small change of a node: a description, and the text that replaces the node's. */
export interface Change {
  readonly change: string;
  readonly text: string;
}

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "**": ["*"],
  "&": ["|"],
  "|": ["&"],
  "^": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  ">>>": ["<<"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+=": ["-="],
  "-=": ["+="],
  "*=": ["/="],
  "/=": ["*="],
  "??=": ["="],
  "++": ["--"],
  "--": ["++"],
};

const METHODS: Readonly<Record<string, string>> = {
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  round: "floor",
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
};
/** Method calls that are replaced by their object. */
const DROPPED_METHODS = new Set(["filter", "sort", "toSorted", "reverse", "toReversed", "slice", "trim"]);
const ENDINGS = new Set(["ReturnStatement", "ThrowStatement", "ContinueStatement", "BreakStatement"]);
/** Node types that have their own changes. Other conditions are negated. */
const CHANGED_ANYWAY = new Set(["BinaryExpression", "LogicalExpression", "UnaryExpression", "Literal"]);

/** Numbers below this are tolerances and are changed by an order of magnitude. */
const LARGEST_TOLERANCE = 1e-6;
const TOLERANCE_FACTOR = 1000;
const SHARE = 0.2;

/** The changed value of a constant: a fifth up or down; whole numbers change by at least 1. */
export function shiftNumber(value: number, direction: 1 | -1): number {
  if (value !== 0 && Math.abs(value) < LARGEST_TOLERANCE) return value * TOLERANCE_FACTOR ** direction;
  const step = Math.abs(value) * SHARE;
  return value + direction * (Number.isInteger(value) ? Math.max(1, Math.round(step)) : step);
}

/** The value of an expression that consists only of numbers, such as `12 * 3_600_000`; null for others. */
export function numberOf(node: Node): number | null {
  if (node.type === "Literal") return typeof node.value === "number" ? node.value : null;
  if (node.type === "UnaryExpression" && node.operator === "-") {
    const value = numberOf(node.argument as Node);
    return value === null ? null : -value;
  }
  if (node.type !== "BinaryExpression") return null;
  const [left, right] = [numberOf(node.left as Node), numberOf(node.right as Node)];
  if (left === null || right === null) return null;
  switch (node.operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "**":
      return left ** right;
    default:
      return null;
  }
}

/**
 * The changes of one node. `isNamed` means that the node is inside the value of a named constant; its numbers
 * change in both directions.
 */
export function changesOf(node: Node, source: string, isNamed: boolean): readonly Change[] {
  const text = (part: unknown) => source.slice((part as Node).start, (part as Node).end);
  const number = isNamed ? numberOf(node) : null;
  if (number !== null)
    return ([1, -1] as const).map((direction) => {
      const changed = String(shiftNumber(number, direction));
      return { change: `${text(node)} → ${changed}`, text: changed };
    });
  const operator = node.operator as string;
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      if (operator === "+" && [node.left, node.right].some((side) => isText(side as Node))) return [];
      return (OPERATORS[operator] ?? []).map((other) => ({
        change: `${operator} → ${other}`,
        text: `(${text(node.left)}) ${other} (${text(node.right)})`,
      }));
    case "AssignmentExpression":
      return (OPERATORS[operator] ?? []).map((other) => ({
        change: `${operator} → ${other}`,
        text: `${text(node.left)} ${other} ${text(node.right)}`,
      }));
    case "UpdateExpression":
      return (OPERATORS[operator] ?? []).map((other) => ({
        change: `${operator} → ${other}`,
        text: text(node).replace(operator, other),
      }));
    case "UnaryExpression":
      if (operator !== "!" && operator !== "-") return [];
      return [{ change: `${text(node)} → without ${operator}`, text: text(node.argument) }];
    case "Literal":
      return literalChanges(node);
    case "CallExpression":
      return methodChanges(node, source);
    default:
      return [];
  }
}

const isText = ({ type, value }: Node): boolean => type === "TemplateLiteral" || typeof value === "string";

function literalChanges({ value, raw }: Node): readonly Change[] {
  const to = (text: string): readonly Change[] => [{ change: `${raw} → ${text}`, text }];
  if (typeof value === "boolean") return to(String(!value));
  if (typeof value === "number") return to(String(shiftNumber(value, 1)));
  // A string with a space is a message. Tests could only repeat it.
  if (typeof value === "string" && !/\s/.test(value)) return to(value === "" ? '"changed"' : '""');
  return [];
}

function methodChanges(node: Node, source: string): readonly Change[] {
  const callee = node.callee as Node;
  if (callee.type !== "MemberExpression" || callee.computed) return [];
  const [object, property] = [callee.object as Node, callee.property as Node];
  const name = property.name as string;
  const other = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (other !== undefined) {
    const text = source.slice(node.start, property.start) + other + source.slice(property.end, node.end);
    return [{ change: `${name}() → ${other}()`, text }];
  }
  if (!DROPPED_METHODS.has(name)) return [];
  return [{ change: `without ${name}()`, text: source.slice(object.start, object.end) }];
}

/** The changes of the condition of an `if`, a loop or a ternary. */
export function conditionChanges(statement: Node, source: string): readonly Change[] {
  const test = statement.test as Node;
  const text = source.slice(test.start, test.end);
  const negated = CHANGED_ANYWAY.has(test.type) ? [] : [{ change: `${text} → negated`, text: `!(${text})` }];
  if (statement.type !== "IfStatement" || statement.alternate !== null) return negated;
  const body = statement.consequent as Node;
  const last = body.type === "BlockStatement" ? (body.body as readonly Node[]).at(-1) : body;
  if (last === undefined || !ENDINGS.has(last.type)) return negated;
  const ending = last.type.replace("Statement", "").toLowerCase();
  return [...negated, { change: `if (${text}) → without the early ${ending}`, text: "false" }];
}
