import type { PlotOptions } from "@observablehq/plot";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Disclosure } from "../ui/Disclosure.tsx";
import "./charts.css";

type PlotModule = typeof import("@observablehq/plot");

interface PlotFigureProps {
  readonly title: string;
  /** What the chart shows, in one sentence: read out in place of the picture. */
  readonly summary: string;
  /** Makes the chart for a width in pixels. Keep it stable between renders (useCallback), or the chart is drawn anew. */
  readonly draw: (plot: PlotModule, width: number) => PlotOptions;
  /** The same numbers as a table. */
  readonly table: ReactNode;
  /** Which colour is whom. */
  readonly legend?: ReactNode;
}

/** A chart by Observable Plot, loaded when first needed, drawn to its place's width, with its numbers as a table behind it. */
export function PlotFigure({ title, summary, draw, table, legend }: PlotFigureProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  useEffect(() => {
    let isCurrent = true;
    const node = place.current;
    if (node === null || width === 0) return undefined;
    import("@observablehq/plot").then((plot) => {
      if (isCurrent) node.replaceChildren(drawn(plot, draw(plot, width), summary));
    });
    return () => {
      isCurrent = false;
    };
  }, [draw, width, summary]);
  return (
    <figure className="figure">
      <figcaption>{title}</figcaption>
      {legend}
      <div ref={place} className="figure-plot" />
      <Disclosure title="Show the numbers">{table}</Disclosure>
    </figure>
  );
}

function drawn(plot: PlotModule, options: PlotOptions, summary: string): Element {
  const chart = plot.plot({ style: { background: "transparent", fontSize: "12px" }, ...options });
  // The page's policy allows no style element; charts.css has these rules.
  for (const style of chart.querySelectorAll("style")) style.remove();
  // The figure has one name: the marks' own ("rule", "dot") tell a listener nothing.
  for (const mark of chart.querySelectorAll("[aria-label]")) mark.removeAttribute("aria-label");
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", summary);
  return chart;
}

function useWidth(place: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const node = place.current;
    if (node === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(node);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
