import type { PlotOptions } from "@observablehq/plot";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Disclosure } from "../ui/Disclosure.tsx";
import "./charts.css";

type PlotModule = typeof import("@observablehq/plot");

interface PlotFigureProps {
  readonly title: string;
  /** What the chart shows, in one sentence for screen readers. */
  readonly summary: string;
  /** Makes the chart for a width in pixels. Keep it stable between renders (useCallback), or the chart is redrawn. */
  readonly draw: (plot: PlotModule, width: number) => PlotOptions;
  /** The same numbers as a table. */
  readonly table: ReactNode;
  /** What each color stands for. */
  readonly legend?: ReactNode;
}

/** A chart by Observable Plot, loaded on first use and drawn to the available width, with its numbers in a table below. */
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
  // The content security policy forbids style elements; charts.css has these rules.
  for (const style of chart.querySelectorAll("style")) style.remove();
  // The figure has one name. The names of its marks ("rule", "dot") would only distract.
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
