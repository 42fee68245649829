import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

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

/**
 * marked is one file that creates its default instance when it loads, so bundlers keep its HTML renderer. The widget needs
 * the lexer only: without the part after the classes, the rest is dropped, which saves 3 kB of the gzip budget.
 */
const lexerOnly = {
  name: "lexer-only",
  setup({ onLoad }) {
    onLoad({ filter: /marked\.esm\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const tail = /;var [\w$]+=new [\w$]+;function /.exec(source);
      const lexer = /([\w$]+) as Lexer\b/.exec(source)?.[1];
      if (tail === null || lexer === undefined) throw new Error("marked has changed its layout: adapt lexerOnly");
      return { contents: `${source.slice(0, tail.index)};export{${lexer} as Lexer}`, loader: "js" };
    });
  },
};

/** Modules of `widget.js` that `widget-more.js` takes from the kit (kit.ts). */
const SHARED = new Set(
  [
    "view/icon.tsx",
    "view/widget-context.ts",
    "view/messages/action-buttons.tsx",
    "view/messages/anchor-chip.tsx",
    "view/messages/live-time.tsx",
    "view/messages/message-tools.tsx",
  ].map((path) => file(path)),
);

const fromKit = {
  name: "from-kit",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^preact|^\./ }, ({ path, importer }) =>
      path.startsWith("preact") || SHARED.has(resolve(dirname(importer), path))
        ? { path: "kit", namespace: "kit" }
        : undefined,
    );
    onLoad({ filter: /^kit$/, namespace: "kit" }, async () => {
      const source = await readFile(file("kit.ts"), "utf8");
      const names = /const kit = \{([^}]*)\}/.exec(source)?.[1]?.match(/\w+/g) ?? [];
      return { contents: `export const { ${names.join(", ")} } = window.mooringKit;`, loader: "js" };
    });
  },
};

/**
 * Builds `widget.js`, which a page loads with one tag, and the scripts that the widget loads on demand:
 * `widget-markdown.js` when the chat opens, `widget-more.js` when one of its views is needed, and the texts of a language.
 */
export const buildWidget = async (folder) => {
  const options = {
    outdir: folder,
    bundle: true,
    format: "iife",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    banner: { js: "/*! Mooring, with preact and marked (MIT) */" },
    metafile: true,
    logLevel: "warning",
  };
  const entries = {
    widget: file("./main.ts"),
    "widget-markdown": file("./markdown/main.ts"),
    "widget-de": file("./texts/main-de.ts"),
    "widget-es": file("./texts/main-es.ts"),
  };
  const [first, more] = await Promise.all([
    build({ ...options, entryPoints: entries, plugins: [cssAsText, lexerOnly] }),
    build({ ...options, entryPoints: { "widget-more": file("./more/main.ts") }, plugins: [cssAsText, fromKit] }),
  ]);
  return { ...first, metafile: mergeMetafiles(first.metafile, more.metafile) };
};

const mergeMetafiles = (one, other) => ({
  inputs: { ...one.inputs, ...other.inputs },
  outputs: { ...one.outputs, ...other.outputs },
});
