import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte()],
  // The window loads the files from its own scheme, so paths must be relative to the page.
  base: "./",
  clearScreen: false,
  // The glossary is a page of the documents.
  server: { port: 5173, strictPort: true, fs: { allow: [".", "../docs"] } },
  build: { target: "safari16", chunkSizeWarningLimit: 1500 },
  // Under vitest Svelte must resolve to its browser build, or components mount nothing.
  resolve: process.env["VITEST"] ? { conditions: ["browser"] } : {},
  // A loaded machine may take its time: nothing here is measured by the clock.
  test: { environment: "jsdom", include: ["src/**/*.test.ts"], testTimeout: 30_000 },
});
