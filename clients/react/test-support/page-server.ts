import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { App, type PageProps } from "./page-app.ts";

/** Renders the page as a server does. */
export const render = (props: PageProps): string => renderToString(createElement(App, props));
