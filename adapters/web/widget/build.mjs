import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

/** A style sheet becomes a text of the script, which puts it into its shadow tree itself. */
const cssAsText = {
  name: "css-as-text",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: `export const css = ${JSON.stringify(code.trim())}`, loader: "js" };
    });
  },
};

/**
 * DOMPurify from its own sources, for browsers that need no helpers of ES5, and without the long lists of what it lets
 * through by default: the widget has a short one of its own. An element that is on no list is taken out.
 */
const strictPurify = {
  name: "strict-purify",
  setup({ initialOptions, onResolve, onLoad }) {
    const home = join(dirname(createRequire(import.meta.url).resolve("dompurify")), "..");
    const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    initialOptions.define = { ...initialOptions.define, VERSION: JSON.stringify(version) };
    onResolve({ filter: /^dompurify$/ }, () => ({ path: join(home, "src/purify.ts") }));
    onLoad({ filter: /dompurify\/src\/(tags|attrs)\.ts$/ }, async ({ path }) => {
      const names = [...(await readFile(path, "utf8")).matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
      return { contents: names.map((name) => `export const ${name} = [];`).join("\n"), loader: "js" };
    });
  },
};

/** `widget.js`, which a page loads with one tag, and `widget-markdown.js`, which it loads itself when there is text. */
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
    plugins: [cssAsText, strictPurify],
    minify: true,
    legalComments: "none",
    banner: { js: "/*! Mooring, with preact and marked (MIT) and DOMPurify (Apache-2.0 or MPL-2.0) */" },
    logLevel: "warning",
  });
