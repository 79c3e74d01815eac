import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // For the test that weighs the first load.
    manifest: true,
    // The page's policy allows no inline script, and every browser that reads ES2022 preloads modules by itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: "es2022",
    rolldownOptions: {
      onLog(level, log, write) {
        // "use client" is for servers that render React; nothing is rendered on a server here.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") write(level, log);
      },
    },
  },
});
