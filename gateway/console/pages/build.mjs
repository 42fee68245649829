import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** `console.js` and `console.css`, which the console's page loads. */
export const buildConsole = (folder) =>
  build({
    entryPoints: { console: fileURLToPath(new URL("./main.tsx", import.meta.url)) },
    outdir: folder,
    bundle: true,
    format: "esm",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    banner: { js: "/*! Mooring, with preact (MIT) */" },
    logLevel: "warning",
  });
