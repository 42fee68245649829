import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parse } from "es-module-lexer/js";
import { transform } from "esbuild";

/** Removes the line that gives a module `require`: scripts have it. */
const withoutRequire = (source) => source.replace(/^import \{ createRequire.*$/m, "");

/**
 * Writes the modules of a build as scripts, each a function of its dependencies. esbuild divides only modules into several
 * files, and Node 20 has a code cache only for scripts.
 */
export const writeScripts = async (outputFiles) => {
  const names = namesOf(outputFiles);
  const write = async ({ path, text }) => {
    const { code, map } = await transform(withoutImportCalls(withoutRequire(text), names), {
      ...scriptOptions,
      sourcefile: basename(path),
      sourcemap: "external",
      sourcesContent: false,
    });
    writeFileSync(path, escaped(code));
    writeFileSync(`${path}.map`, map);
  };
  await Promise.all(outputFiles.map(write));
};

/** How the code of a module becomes that of a script, as gateway/cli/launcher/compiled-scripts.ts calls it. */
export const scriptOptions = {
  format: "cjs",
  platform: "node",
  target: "node20",
  define: { "import.meta.url": "__url" },
  // Modules are always strict.
  banner: '(function (exports, require, module, __load, __import, __url) { "use strict";',
  footer: "})",
  // The first build has shown the warnings.
  logLevel: "error",
};

/** In ASCII, as the launcher reads scripts. esbuild escapes strings; regular expressions and comments are left. */
export const escaped = (code) =>
  code.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The files of a build, as they import each other. */
export const namesOf = (outputFiles) => new Set(outputFiles.map(({ path }) => `./${basename(path)}`));

/** A script from V8's cache cannot call `import()` in Node 20; the launcher does it. Scripts of the build are loaded. */
export const withoutImportCalls = (source, names) => {
  let result = "";
  let end = 0;
  for (const { d: call, ss: start, n: name } of parse(source)[0]) {
    // Negative: a static import, or `import.meta`.
    if (call < 0) continue;
    result += `${source.slice(end, start)}${names.has(name) ? "__load" : "__import"}`;
    end = call;
  }
  return result + source.slice(end);
};

/** A script cannot wait at its top level, so the code of a program becomes its function `run`. */
export const asRunFunction = (source) => {
  const program = withoutRequire(source);
  let [imports, body, end] = ["", "", 0];
  for (const { d: call, ss: start, se: after } of parse(program)[0]) {
    // -1: a static import.
    if (call !== -1) continue;
    imports += `${program.slice(start, after)};\n`;
    body += program.slice(end, start);
    end = after;
  }
  return `${imports}export const run = async () => {\n${body}${program.slice(end)}\n};\n`;
};
