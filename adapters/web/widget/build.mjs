import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

/** Bundles style sheets as strings, which the script adopts in its shadow tree. */
const cssAsText = {
  name: "css-as-text",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: `export const css = ${JSON.stringify(code.trim())}`, loader: "js" };
    });
  },
};

/** Builds `widget.js`, which a page loads with one tag, and `widget-markdown.js`, which the widget loads on demand. */
export const buildWidget = (folder) =>
  build({
    entryPoints: {
      widget: fileURLToPath(new URL("./main.ts", import.meta.url)),
      "widget-markdown": fileURLToPath(new URL("./markdown/main.ts", import.meta.url)),
    },
    outdir: folder,
    bundle: true,
    format: "iife",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [cssAsText],
    minify: true,
    legalComments: "none",
    banner: { js: "/*! Mooring, with preact and marked (MIT) */" },
    metafile: true,
    logLevel: "warning",
  });
