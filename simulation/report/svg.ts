/** Colors that are readable on the plots' own white background. */
export const COLOURS = {
  ground: "#ffffff",
  ink: "#1f2933",
  grid: "#d9dee4",
  band: "#cfe3f5",
  good: "#14569b",
  bad: "#b3261e",
  series: ["#14569b", "#b3261e", "#2f7d32", "#8a5a00"],
} as const;

type Attributes = Readonly<Record<string, string | number>>;

/** Writes an element; numbers are rounded to a hundredth. */
export function element(name: string, attributes: Attributes, content = ""): string {
  const list = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? Number(value.toFixed(2)) : value}"`)
    .join("");
  return content === "" ? `<${name}${list}/>` : `<${name}${list}>${content}</${name}>`;
}

/** Writes a line of text. */
export function text(content: string, x: number, options: { y: number } & Attributes): string {
  return element("text", { x, ...options }, escapeText(content));
}

/** Writes a straight line between two points. */
export function line(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  attributes: Attributes,
): string {
  return element("line", { x1, y1, x2, y2, ...attributes });
}

export interface ImageFrame {
  readonly width: number;
  readonly height: number;
  readonly title: string;
}

/**
 * Writes a complete image with its title and its own background, so that it is readable on light and dark
 * pages.
 */
export function svgImage({ title, ...size }: ImageFrame, parts: readonly string[]): string {
  const frame = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${size.width} ${size.height}`,
    width: size.width,
    height: size.height,
    "font-family": "system-ui, sans-serif",
    "font-size": 12,
    fill: COLOURS.ink,
  };
  const ground = element("rect", { width: size.width, height: size.height, rx: 6, fill: COLOURS.ground });
  const heading = text(title, 24, { y: 24, "font-weight": 600, "font-size": 14 });
  const all = [element("title", {}, escapeText(title)), ground, heading, ...parts];
  return `${element("svg", frame, `\n${all.join("\n")}\n`)}\n`;
}

function escapeText(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
