import { build } from "esbuild";

/**
 * Compiles programs for Node, as they are run. Few files in one folder: finding hundreds of them took a third of a start.
 * What is imported only when it is needed stays a file of its own. Types are checked by `npm run check`.
 */
export const bundle = (root, places) =>
  build({
    absWorkingDir: root,
    ...places,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: true,
    logLevel: "warning",
  });
