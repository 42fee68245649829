import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { LogFields, Logger } from "../../../core/contract/ports/logger.ts";
import { LazyModel } from "../../../core/model/hosted/hosted-model.ts";
import { says } from "../../fakes/model-answer.ts";
import { ScriptedModelServer } from "../../fakes/scripted-model-server.ts";
import { modelAt, run } from "./model-under-test.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Every module that importing `file` loads eagerly: packages by name, our files by path. */
const loadedBy = async (file: string, found = new Set<string>()): Promise<Set<string>> => {
  if (found.has(file)) return found;
  found.add(file);
  const source = await readFile(join(root, file), "utf8");
  for (const [, specifier] of source.matchAll(/^(?:import|export)(?! type\b)[^;]*? from "([^"]+)";/gms)) {
    if (specifier === undefined) continue;
    if (specifier.startsWith(".")) await loadedBy(relative(root, join(root, dirname(file), specifier)), found);
    else found.add(specifier);
  }
  return found;
};

describe("given SDKs that are slow to load", () => {
  it("when createModel is imported, then no SDK is loaded", async () => {
    const loaded = await loadedBy("core/model/create-model.ts");
    expect(loaded).toContain("core/model/demo/demo-rules.ts");
    expect([...loaded].filter((name) => /^ai$|^@ai-sdk|ai-sdk\//.test(name))).toEqual([]);
    expect(await loadedBy("core/model/hosted/ai-sdk-model.ts")).toContain("ai");
  });

  it("when loading fails, then only the step that needs the model fails", async () => {
    const model = new LazyModel({ label: "x/y" }, () => Promise.reject(new Error("Cannot find package")));
    expect(await run(model)).toMatchObject({ failure: { reason: "refused" } });
  });
});

describe("given a listener that fails", () => {
  it("when text arrives, then the answer is complete and the failure is logged once", async () => {
    const server = await ScriptedModelServer.start([says(["a", "b", "c"])]);
    const logged: [LogFields, string][] = [];
    const logger: Logger = {
      debug() {},
      info() {},
      warn() {},
      error: (...entry) => logged.push(entry),
      child: () => logger,
    };
    const onText = () => {
      throw new Error("no screen");
    };
    const { response } = await run(modelAt(server.baseUrl, {}, { logger }), {}, { onText });
    expect(response?.text).toBe("abc");
    expect(logged).toEqual([[{ error: "no screen" }, "text delta listener failed"]]);
    await server.stop();
  });
});
