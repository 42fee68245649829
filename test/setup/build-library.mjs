import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleOptions } from "./bundle-options.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Drops modules of ours without a used export: the contract suite uses one function of the relay, not its SDKs. */
const onlyWhatIsUsed = {
  name: "only-what-is-used",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^\./ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === "resolved" || resolveDir.includes("node_modules")) return undefined;
      return { ...(await resolve(path, { resolveDir, kind, pluginData: "resolved" })), sideEffects: false };
    });
  },
};

/**
 * Builds `mooring/adapter`, `mooring/tool` and `mooring/testing`. They are a copy apart from the product, whose start-up
 * they must not slow down; errors are recognised by brand. zod is not part of them, so that an author's schemas and ours
 * come from one copy.
 */
export const buildLibrary = (outdir) =>
  build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: { adapter: "package/adapter.ts", tool: "package/tool.ts", testing: "package/testing.ts" },
    outdir,
    // One file each: with shared chunks, modules that only an unused part loads on demand would be built too.
    splitting: false,
    external: [...bundleOptions.external, "zod"],
    // The contract suite of the project imports vitest; an author may use any runner.
    alias: { vitest: `${root}package/test-runner.ts` },
    // Names and comments stay readable for those who debug their adapter.
    minify: false,
    metafile: true,
    plugins: [onlyWhatIsUsed],
  });

/** Builds `mooring/web`: one file without dependencies, for pages, bundlers and Node. The gateway serves it as well. */
export const buildWebClient = (outdir) =>
  build({
    absWorkingDir: root,
    entryPoints: { client: "package/web.ts" },
    outdir,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: ["es2022"],
    metafile: true,
    logLevel: "warning",
  });
