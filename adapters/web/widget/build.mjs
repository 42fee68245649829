import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bundles the widget into one script that a page loads with one tag. */
export const buildWidget = (outFile) =>
  build({
    entryPoints: [fileURLToPath(new URL("./main.ts", import.meta.url))],
    outfile: outFile,
    bundle: true,
    format: "iife",
    target: ["es2022"],
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
