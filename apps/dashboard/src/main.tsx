import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { I18nProvider } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { makeQueryClient } from "./api/query-client.ts";
import { router } from "./routes.tsx";
import "@fontsource-variable/inter/wght.css";
import "./base.css";

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no #root.");
const queryClient = makeQueryClient();

createRoot(place).render(
  <StrictMode>
    {/* The texts are in American English, and so are the numbers in fields: $0.43, 46%. */}
    <I18nProvider locale="en-US">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
