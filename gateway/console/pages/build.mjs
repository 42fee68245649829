import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Builds `console.js` and `console.css` for the console's page. */
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
    metafile: true,
    logLevel: "warning",
  });
