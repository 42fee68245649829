import { importsOf, isTest, type Rule, type SourceFile } from "./source-file.ts";

/** First match wins; a file may always import from its own folder, which is what its pattern matches. Tests may import all. */
const mayImport: readonly [from: RegExp, to: RegExp][] = [
  [/^core\/contract\//, /^$/],
  [/^core\//, /^core\//],
  [/^adapters\/contract\//, /^core\/contract\//],
  [/^adapters\/adapter-list\.ts$/, /^adapters\/\w+\/index\.ts$/],
  [/^adapters\/\w+\//, /^(core|adapters)\/contract\//],
  [/^config\//, /^core\/contract\/|^core\/(.*\/)?config\.ts$|^adapters\/(adapter-list\.ts$|contract\/)/],
  // The library: `mooring/testing` is made of the project's own contract suite and fakes.
  [/^package\//, /^(core|adapters)\/contract\/|^adapters\/web\/headless\/index\.ts$|^test\/(contract|fakes)\//],
  [/^examples\/[\w-]+\//, /^$/],
  [/^gateway\/admin-api\//, /^core\/contract\//],
  [/^gateway\/console\/pages\//, /^core\/contract\/|^gateway\/admin-api\/index\.ts$/],
  [
    /^gateway\//,
    /^(gateway|config|core)\/|^adapters\/\w+\/(\w+\/)?index\.ts$|^adapters\/(contract\/|adapter-list\.ts$)/,
  ],
];

/** Every package has one home. Add a new package here. */
const homes: readonly [module: RegExp, home: RegExp][] = [
  [/^zod$/, /^/],
  // Examples are written by strangers: they have the public surface, and any module of Node and their test runner.
  [/^(mooring\/(adapter|tool|testing|web)|vitest)$/, /^examples\//],
  [/^node:https$/, /^(gateway|examples)\/|^adapters\/(teams\/api\/connect-timeout-agent|contract\/text-fetch)\.ts$/],
  [/^node:http$/, /^(gateway|examples)\/|^adapters\/contract\/text-fetch\.ts$/],
  [/^node:http2$/, /^(gateway|examples)\//],
  [/^node:/, /^(?!core\/contract\/)/],
  [/^(fastify|@fastify\/.+)$/, /^gateway\//],
  [/^(pino|prom-client|commander|@clack\/prompts)$/, /^gateway\//],
  [/^@opentelemetry\/.+$/, /^gateway\/telemetry\//],
  [/^nats$/, /^core\/backbone\/nats\//],
  [/^croner$/, /^core\/schedules\//],
  [/^chrono-node(?:\/|$)/, /^core\/schedules\/when\//],
  [/^libsql$/, /^core\/backbone\/embedded\//],
  [/^(ai|@ai-sdk\/.+)(\/|$)/, /^core\/model\//],
  [/^(yaml|import-meta-resolve)$/, /^config\//],
  [/^discord\.js$/, /^adapters\/discord\//],
  [/^ws$/, /^adapters\/web\//],
  [/^@slack\/.+$/, /^adapters\/slack\//],
  [/^(botframework-connector|@azure\/msal-node)$/, /^adapters\/teams\/api\/(connector|bot-token)\.ts$/],
  [/^botbuilder$/, /^$/],
  [/^jose$/, /^adapters\/teams\//],
  [/^(mdast|mdast-util-.+|micromark-extension-.+)$/, /^adapters\//],
  [/^@a2a-js\/sdk(\/|$)/, /^(core|gateway)\/a2a\//],
  [/^undici$/, /^core\/net\//],
  [/^ipaddr\.js$/, /^core\/lib\//],
  [/^(linkedom|@mozilla\/readability)$/, /^core\/tools\/fetch-url\//],
  [/^htmlparser2$/, /^core\/files\/reading\//],
  // A page may be a PDF too.
  [/^unpdf$/, /^core\/(files\/reading|tools\/fetch-url)\//],
  [/^@modelcontextprotocol\/sdk(\/|$)/, /^core\/tools\/mcp\/client\/|^examples\/mcp\//],
  [/^(preact(\/(hooks|jsx-runtime))?|esbuild)$/, /^adapters\/web\/widget\/|^gateway\/console\/pages\//],
  [/^react(-dom)?(\/|$)/, /^examples\/web-react\//],
  [/^marked$/, /^adapters\/web\/widget\//],
];

const isTool = (file: SourceFile): boolean => !file.path.includes("/");
const product = (files: readonly SourceFile[]) => files.filter((file) => !isTest(file) && !isTool(file));

export const importDirection: Rule = (files) =>
  product(files).flatMap((file) => {
    const row = mayImport.find(([from]) => from.test(file.path));
    if (row === undefined) return [`${file.path} is in no folder of the design`];
    const own = row[0].exec(file.path)?.[0] ?? file.path;
    return importsOf(file)
      .filter(({ kind, target }) => kind === "relative" && !target.startsWith(own) && !row[1].test(target))
      .map(({ target }) => `${file.path} may not import ${target}`);
  });

export const packageHomes: Rule = (files) =>
  product(files).flatMap((file) =>
    importsOf(file)
      .filter(({ kind }) => kind === "package")
      .filter(({ target }) => !homes.find(([module]) => module.test(target))?.[1].test(file.path))
      .map(({ target }) => `${file.path} is not the home of ${target}`),
  );

/** A value of the admin API would bring its schemas, and zod, into the browser. */
export const pagesImportApiTypesOnly: Rule = (files) =>
  product(files)
    .filter(({ path }) => path.startsWith("gateway/console/pages/"))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ target, typeOnly }) => target.startsWith("gateway/admin-api/") && !typeOnly)
        .map(({ target }) => `${file.path} may import only types from ${target}`),
    );

/** Tests from outside use the built product only, so they must not depend on its sources. */
export const outsideKnowsNothing: Rule = (files) =>
  files
    .filter(({ path }) => path.startsWith("test/outside/"))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ kind, target }) => kind === "relative" && !target.startsWith("test/"))
        .map(({ target }) => `${file.path} may not import ${target}`),
    );

/** Loads a module that the configuration names, which is not part of the product. */
const loadersOfModules: ReadonlySet<string> = new Set([
  "config/foreign/load-adapters.ts",
  "core/tools/modules/load-module.ts",
  "gateway/cli/launcher/compiled-scripts.ts",
  "gateway/moderation/create-moderator.ts",
]);

/** A computed import cannot be checked. */
export const literalImports: Rule = (files) =>
  product(files.filter(({ path }) => !loadersOfModules.has(path))).flatMap((file) =>
    importsOf(file).some(({ kind }) => kind === "computed") ? [`${file.path} imports something computed`] : [],
  );

export const noImportCycles: Rule = (files) => {
  const next = new Map(
    files.map((file) => [
      file.path,
      importsOf(file).flatMap(({ kind, target, typeOnly }) => (kind === "relative" && !typeOnly ? [target] : [])),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path].join(" → "));
    if (way.includes(path) || done.has(path)) return;
    for (const target of next.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return cycles;
};
