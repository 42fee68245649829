/**
 * How the product is compiled; the benchmark is compiled the same way. Packages are part of the bundle: Node spent up to
 * half of a start on finding and linking their files.
 */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // A native module: Node must find its binary beside it.
  external: ["libsql"],
  // Without this, esbuild prefers the files that packages provide for bundlers to those that Node would load.
  conditions: [],
  // For the packages that are CommonJS modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  sourcemap: true,
  // The sources are beside dist/; a copy of all packages in the maps would triple its size.
  sourcesContent: false,
  logLevel: "warning",
};
