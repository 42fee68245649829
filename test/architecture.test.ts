import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  importDirection,
  literalImports,
  noImportCycles,
  outsideKnowsNothing,
  packageHomes,
  pagesImportApiTypesOnly,
} from "./architecture/import-rules.ts";
import {
  coreLayers,
  everyPartHasAFace,
  facesAreSmall,
  facesLoadNoSdk,
  layersOnlyDown,
  noFolderCycles,
  throughFacesOnly,
} from "./architecture/layer-rules.ts";
import type { SourceFile } from "./architecture/source-file.ts";
import {
  environmentInOnePlace,
  noBannedNames,
  noCrowdedFolders,
  noHandWrittenUpdates,
  noLongFiles,
  noPlatformQuestions,
  secretsInConstantTime,
} from "./architecture/text-rules.ts";
import { projectFiles, projectRoot } from "./setup/project-files.ts";

const source: readonly SourceFile[] = projectFiles()
  .filter((path) => /\.(ts|mts|mjs|js|tsx)$/.test(path))
  .map((path) => ({ path, text: readFileSync(`${projectRoot}${path}`, "utf8") }));

const file = (path: string, text: string): SourceFile => ({ path, text });
const imports = (path: string, ...targets: string[]): SourceFile =>
  file(path, targets.map((target) => `import { x } from "${target}";`).join("\n"));

describe("given the project's own files", () => {
  it("then they are found", () => {
    expect(source.length).toBeGreaterThan(40);
    expect(source.map(({ path }) => path)).toContain("core/contract/ports/bus.ts");
  });

  it.each([
    ["imports go in one direction", importDirection],
    ["each part has a face", everyPartHasAFace],
    ["folders with a face are imported through it", throughFacesOnly],
    ["faces are small", facesAreSmall],
    ["faces load no SDK", facesLoadNoSdk],
    ["every package has one home", packageHomes],
    ["console pages import only types of the admin API", pagesImportApiTypesOnly],
    ["tests from outside import no sources", outsideKnowsNothing],
    ["every import can be checked", literalImports],
    ["there are no import cycles", noImportCycles],
    ["each folder of core imports only lower layers", layersOnlyDown],
    ["there are no cycles between folders", noFolderCycles],
    ["files are named after their concept", noBannedNames],
    ["files are short", noLongFiles],
    ["folders are small", noCrowdedFolders],
    ["the environment is read in one place", environmentInOnePlace],
    ["code asks for capabilities, not for the name of a channel", noPlatformQuestions],
    ["secrets are compared in constant time", secretsInConstantTime],
    ["compare-and-set with retries is written once", noHandWrittenUpdates],
  ])("then %s", (_, rule) => {
    expect(rule(source)).toEqual([]);
  });
});

describe("given a test from outside that imports a source file, then it is reported", () => {
  it.each(["../../core/contract/bus.ts", "../../gateway/server.ts", "../../config/config.ts"])("%s", (target) => {
    expect(outsideKnowsNothing([imports("test/outside/storm.test.ts", target)])).toHaveLength(1);
    expect(outsideKnowsNothing([imports("test/e2e/storm.test.ts", target)])).toEqual([]);
  });
});

describe("given a file that imports in the wrong direction, then it is reported", () => {
  it.each([
    ["core/contract/bus.ts", "../backbone/key-lanes.ts"],
    ["core/turns/run-turn.ts", "../../gateway/relay/inbox.ts"],
    ["core/turns/run-turn.ts", "../../adapters/contract/inbox.ts"],
    ["core/turns/run-turn.ts", "../../config/config.ts"],
    ["adapters/contract/inbox.ts", "../../core/turns/run-turn.ts"],
    ["adapters/contract/inbox.ts", "../web/adapter.ts"],
    ["adapters/web/adapter.ts", "../slack/index.ts"],
    ["adapters/web/adapter.ts", "../../core/turns/run-turn.ts"],
    ["adapters/web/widget/main.ts", "../../../gateway/server.ts"],
    ["config/config.ts", "../core/turns/run-turn.ts"],
    ["config/config.ts", "../gateway/server.ts"],
    ["config/config.ts", "../adapters/web/config.ts"],
    ["adapters/adapter-list.ts", "./web/adapter.ts"],
    ["adapters/web/adapter.ts", "../adapter-list.ts"],
    ["gateway/server.ts", "../adapters/web/adapter.ts"],
    ["gateway/server.ts", "../test/fakes/clock.ts"],
    ["gateway/console/pages/main.tsx", "../../server.ts"],
    ["gateway/console/pages/main.tsx", "../../admin-api/channels.ts"],
    ["gateway/admin-api/channels.ts", "../admin/page.ts"],
    ["package/adapter.ts", "../adapters/web/index.ts"],
    ["package/adapter.ts", "../core/turns/run-turn.ts"],
    ["examples/adapter/index.js", "../../adapters/contract/config.ts"],
    ["examples/adapter/index.js", "../tool/weather.js"],
    ["core/turns/run-turn.ts", "../../package/adapter.ts"],
    ["lib/other.ts", "./x.ts"],
  ])("%s → %s", (from, to) => {
    expect(importDirection([imports(from, to)])).toHaveLength(1);
  });

  it.each([
    ["core/contract/bus.ts", "./subject.ts"],
    ["core/turns/run-turn.ts", "../origin/capture.ts"],
    ["adapters/web/adapter.ts", "./widget/main.ts"],
    ["adapters/web/adapter.ts", "../contract/inbox.ts"],
    ["adapters/web/adapter.ts", "../../core/contract/bus.ts"],
    ["config/config.ts", "../adapters/adapter-list.ts"],
    ["adapters/adapter-list.ts", "./web/index.ts"],
    ["gateway/server.ts", "../adapters/adapter-list.ts"],
    ["gateway/server.ts", "../adapters/web/index.ts"],
    ["gateway/server.ts", "../config/load-config.ts"],
    ["gateway/console/pages/parts/when.tsx", "../../../../core/contract/relative-time.ts"],
    ["gateway/console/pages/parts/when.tsx", "../../../admin-api/index.ts"],
    ["package/testing.ts", "../test/contract/channel-adapter.contract.ts"],
    ["examples/adapter/index.js", "./inbound.js"],
    ["test/any.test.ts", "../adapters/web/adapter.ts"],
  ])("and one in the right direction is not: %s → %s", (from, to) => {
    expect(importDirection([imports(from, to)])).toEqual([]);
  });

  it.each([
    'import "../../gateway/server.ts";',
    'import type { A } from "../../gateway/server.ts";',
    'import {\n  a,\n  b,\n} from "../../gateway/server.ts";',
    'export * from "../../gateway/server.ts";',
    'export { a } from "../../gateway/server.ts";',
    'const a = await import("../../gateway/server.ts");',
    'type A = import("../../gateway/server.ts").A;',
  ])("however it is written: %j", (text) => {
    expect(importDirection([file("core/turns/run-turn.ts", text)])).toHaveLength(1);
  });
});

describe("given a console page that imports from the admin API", () => {
  const page = (statement: string) => [file("gateway/console/pages/main.tsx", statement)];

  it("when it imports a value, then that is reported", () => {
    expect(pagesImportApiTypesOnly(page('import { Trace } from "../../admin-api/index.ts";'))).toHaveLength(1);
    expect(pagesImportApiTypesOnly(page('import { type Trace } from "../../admin-api/index.ts";'))).toHaveLength(1);
  });

  it("when it imports types, then it is not", () => {
    expect(pagesImportApiTypesOnly(page('import type { Trace } from "../../admin-api/index.ts";'))).toEqual([]);
  });
});

describe("given a folder with a face", () => {
  const face = file("core/turns/index.ts", 'export { a } from "./a.ts";');
  const faults = (from: string, target: string) => throughFacesOnly([face, imports(from, target)]);

  it("when a file outside imports another file of it, then it is reported", () => {
    expect(faults("core/intake/open-turn.ts", "../turns/journal.ts")).toHaveLength(1);
    expect(faults("core/intake/open-turn.ts", "../turns/index.ts")).toEqual([]);
    expect(faults("core/turns/deep/run.ts", "../journal.ts")).toEqual([]);
  });

  it("when a schema imports its schema, then it is not", () => {
    expect(faults("config/config.ts", "../core/turns/config.ts")).toEqual([]);
    expect(faults("core/config.ts", "./turns/config.ts")).toEqual([]);
    expect(faults("gateway/server.ts", "../core/turns/config.ts")).toHaveLength(1);
  });

  it("when the list of tools imports a tool, then it is not", () => {
    expect(faults("core/agent-tools.ts", "./turns/nothing-to-say-tool.ts")).toEqual([]);
    expect(faults("core/agent-tools.ts", "./turns/journal.ts")).toHaveLength(1);
    expect(faults("core/start-core.ts", "./turns/nothing-to-say-tool.ts")).toHaveLength(1);
  });

  it("when a folder inside it has a face of its own, then others may use that one too", () => {
    const inner = file("core/turns/inner/index.ts", "");
    const from = (target: string) => throughFacesOnly([face, inner, imports("core/intake/a.ts", target)]);
    expect(from("../turns/inner/index.ts")).toEqual([]);
    expect(from("../turns/inner/b.ts")).toHaveLength(1);
  });

  it("when a part has no face, then it is reported", () => {
    const importing = imports(
      "gateway/server.ts",
      "./relay/digest/a.ts",
      "../core/turns/a.ts",
      "../core/contract/bus.ts",
    );
    expect(everyPartHasAFace([importing])).toHaveLength(2);
    expect(everyPartHasAFace([importing, face])).toHaveLength(1);
  });

  it("when it exports a whole file or more than 25 names, then it is reported", () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`).join(", ");
    expect(facesAreSmall([file("core/turns/index.ts", 'export * from "./a.ts";')])).toHaveLength(1);
    expect(facesAreSmall([file("core/new/index.ts", `export { ${names(26)} } from "./a.ts";`)])).toHaveLength(1);
    expect(facesAreSmall([file("core/new/index.ts", `export { ${names(25)} } from "./a.ts";`)])).toEqual([]);
  });

  it("when it loads an SDK, directly or not, then it is reported; not if only a call loads it", () => {
    const sdk = imports("core/turns/a.ts", "nats");
    const lazy = file("core/turns/a.ts", 'const x = () => import("nats");');
    expect(facesLoadNoSdk([face, sdk])).toHaveLength(1);
    expect(facesLoadNoSdk([face, lazy])).toEqual([]);
  });
});

describe("given a package away from its home, then it is reported", () => {
  it.each([
    ["core/turns/run-turn.ts", "fastify"],
    ["adapters/web/adapter.ts", "@fastify/websocket"],
    ["core/backbone/embedded/bus.ts", "nats"],
    ["core/backbone/nats/bus.ts", "libsql"],
    ["core/turns/run-turn.ts", "ai"],
    ["gateway/server.ts", "@ai-sdk/anthropic"],
    ["gateway/server.ts", "yaml"],
    ["core/turns/run-turn.ts", "pino"],
    ["core/turns/run-turn.ts", "prom-client"],
    ["config/check.ts", "commander"],
    ["gateway/server.ts", "ws"],
    ["core/contract/clock.ts", "node:fs"],
    ["core/a2a/client.ts", "node:http"],
    ["gateway/server.ts", "left-pad"],
    ["gateway/server.ts", "mooring/adapter"],
    ["examples/adapter/index.js", "fastify"],
  ])("%s → %s", (from, name) => {
    expect(packageHomes([imports(from, name)])).toHaveLength(1);
  });

  it.each([
    ["gateway/server.ts", "@fastify/websocket"],
    ["core/backbone/nats/bus.ts", "nats"],
    ["core/model/model.ts", "@ai-sdk/anthropic"],
    ["core/contract/bus.ts", "zod"],
    ["core/turns/run-turn.ts", "node:crypto"],
    ["test/bench/run.ts", "nats"],
    ["examples/adapter/index.js", "mooring/adapter"],
  ])("and one at home is not: %s → %s", (from, name) => {
    expect(packageHomes([imports(from, name)])).toEqual([]);
  });

  it("when the import is computed, then that is reported", () => {
    expect(literalImports([file("gateway/a.ts", "await import(name)")])).toHaveLength(1);
    expect(literalImports([file("gateway/a.ts", 'await import("./b.ts")')])).toEqual([]);
  });
});

describe("given the layers of core", () => {
  it("when a folder imports one above it, then each import is reported, of types too", () => {
    const upward = file("core/turns/run-turn.ts", 'import type { A } from "../a2a/config.ts";');
    expect(layersOnlyDown([upward])).toHaveLength(1);
    expect(layersOnlyDown([imports("core/a2a/config.ts", "../start-core.ts")])).toHaveLength(1);
    expect(layersOnlyDown([imports("core/turns/run-turn.ts", "../origin/capture.ts", "./turn.ts")])).toEqual([]);
    expect(layersOnlyDown([imports("core/start-core.ts", "./intake/open-turn.ts")])).toEqual([]);
  });

  it("when a folder is not in the list, then it is reported", () => {
    expect(layersOnlyDown([file("core/new-folder/a.ts", "")])).toHaveLength(1);
  });

  it("then docs/architecture.md names them in the same order", () => {
    const docs = readFileSync(`${projectRoot}docs/architecture.md`, "utf8");
    expect(docs.replace(/\s+/g, " ")).toContain(coreLayers.map((layer) => `\`${layer}\``).join(" → "));
  });
});

describe("given folders that import each other", () => {
  it("then each folder of the cycle is reported, also if other folders are between them", () => {
    const files = [
      imports("gateway/relay/a.ts", "../admin/b.ts"),
      imports("gateway/admin/c.ts", "../version.ts"),
      imports("gateway/version.ts", "./relay/d.ts"),
    ];
    expect(noFolderCycles(files)).toHaveLength(2);
    expect(noFolderCycles(files.slice(0, 2))).toEqual([]);
  });

  it("when a folder imports its parent's files and another file of the parent imports it, then it is not a cycle", () => {
    expect(
      noFolderCycles([imports("gateway/admin/c.ts", "../version.ts"), imports("gateway/server.ts", "./admin/c.ts")]),
    ).toEqual([]);
  });
});

describe("given an import cycle", () => {
  it("then the cycle is reported, once", () => {
    const circle = [imports("core/a.ts", "./b.ts"), imports("core/b.ts", "./c.ts"), imports("core/c.ts", "./a.ts")];
    expect(noImportCycles(circle)).toEqual(["core/a.ts → core/b.ts → core/c.ts → core/a.ts"]);
    expect(noImportCycles([imports("core/a.ts", "./a.ts")])).toHaveLength(1);
  });

  it("when it is one of types only, or two paths to one file, then it is not a cycle", () => {
    expect(
      noImportCycles([imports("core/a.ts", "./b.ts"), file("core/b.ts", 'import type { A } from "./a.ts"')]),
    ).toEqual([]);
    expect(
      noImportCycles([imports("core/a.ts", "./b.ts", "./c.ts"), imports("core/b.ts", "./c.ts"), file("core/c.ts", "")]),
    ).toEqual([]);
  });
});

describe("given a file that breaks a rule, then it is reported", () => {
  it.each(["utils", "helpers", "common", "misc", "manager", "types", "string-utils", "session-manager"])(
    "name: %s",
    (name) => {
      expect(noBannedNames([file(`core/turns/${name}.ts`, ""), file(`core/${name}/turn.ts`, "")])).toHaveLength(2);
    },
  );

  it("length: 301 lines, and 501 in a test", () => {
    const lines = (count: number) => "x\n".repeat(count);
    expect(noLongFiles([file("core/a.ts", lines(301)), file("test/a.test.ts", lines(501))])).toHaveLength(2);
    expect(noLongFiles([file("core/a.ts", lines(300)), file("test/a.test.ts", lines(500))])).toEqual([]);
  });

  it("folder: 16 files", () => {
    const inFolder = (count: number) => Array.from({ length: count }, (_, n) => file(`core/turns/${n}.ts`, ""));
    expect(noCrowdedFolders(inFolder(16))).toHaveLength(1);
    expect(noCrowdedFolders([...inFolder(15), file("core/turns/limits/a.ts", ""), file("test/a.ts", "")])).toEqual([]);
  });

  it.each(["process.env.HOME", 'process["env"]', "const { env } = process;", 'import { env } from "node:process";'])(
    "environment: %s",
    (text) => {
      expect(environmentInOnePlace([file("gateway/a.ts", text)])).toHaveLength(1);
      expect(environmentInOnePlace([file("config/load-config.ts", text), file("test/a.ts", text)])).toEqual([]);
    },
  );

  it.each([
    'if (channel === "slack") x();',
    "if ('discord' != adapter) x();",
    'switch (channel) { case "teams": x(); }',
    'channel.startsWith("web")',
  ])("a platform asked for: %s", (text) => {
    expect(noPlatformQuestions([file("gateway/a.ts", text)])).toHaveLength(1);
  });

  it("a platform named in core or in another adapter, but not in its own", () => {
    expect(noPlatformQuestions([file("core/a.ts", 'const x = ["slack"];')])).toHaveLength(1);
    expect(noPlatformQuestions([file("adapters/web/a.ts", 'const x = "slack";')])).toHaveLength(1);
    expect(noPlatformQuestions([file("adapters/irc/a.ts", ""), file("core/a.ts", 'x = "irc"')])).toHaveLength(1);
    expect(noPlatformQuestions([file("adapters/slack/a.ts", 'channel === "slack"')])).toEqual([]);
  });

  it.each([
    "if (given === config.signingSecret.reveal()) x();",
    "if (signature !== expected) x();",
    "return digest == known;",
    "const ok = body.token === record.accessToken;",
    "if (mac === right) x();",
  ])("a secret compared letter by letter: %s", (text) => {
    expect(secretsInConstantTime([file("gateway/a.ts", text)])).toHaveLength(1);
  });

  it.each(["if (token === undefined) x();", 'if (secret !== "") x();', "timingSafeEqual(digest, known)"])(
    "and one that is not: %s",
    (text) => {
      expect(secretsInConstantTime([file("gateway/a.ts", text)])).toEqual([]);
    },
  );

  it.each([
    ["a caught conflict", "try { await put(); } catch (error) { if (error instanceof RevisionConflict) return; }"],
    ["an endless loop", "for (;;) { await store.put(key, next, { ifRevision: revision }); }"],
    ["a bounded loop", "for (let n = 0; n < 5; n++) { if (await putIfUnchanged(store, key, x, 1)) return; }"],
    ["a while loop", "while (!done) { done = await store.put(key, next, { ifRevision: 1 }); }"],
    ["a do loop", "do { done = await store.put(key, next, { ifRevision: 1 }); } while (!done);"],
  ])("a compare-and-set with retries by hand: %s", (_, text) => {
    expect(noHandWrittenUpdates([file("core/turns/a.ts", text)])).toHaveLength(1);
    expect(noHandWrittenUpdates([file("core/backbone/nats/a.ts", text), file("test/a.ts", text)])).toEqual([]);
  });

  it.each([
    ["one write", "await store.put(key, next, { ifRevision: revision });"],
    ["a write for each item", "for (const item of items) { await store.put(keyOf(item), item, { ifRevision: 0 }); }"],
    ["a write after a loop", "for (let n = 0; n < 5; n++) { read(n); }\nawait store.put(key, x, { ifRevision: 0 });"],
    ["the next free key", "for (let n = 0; ; n++) { if (await createOnce(store, keyOf(n), entry)) return; }"],
  ])("and one that is not: %s", (_, text) => {
    expect(noHandWrittenUpdates([file("core/turns/a.ts", text)])).toEqual([]);
  });
});
