import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildWidget } from "../../../../adapters/web/widget/build.mjs";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mooring-widget-"));
  await buildWidget(folder);
});
afterAll(() => rm(folder, { recursive: true }));

const gzipped = async (name: string): Promise<number> => gzipSync(await readFile(join(folder, name))).length;

describe("given the widget as pages load it", () => {
  it("then it is small, also with the script that an opened chat loads", async () => {
    const first = await gzipped("widget.js");
    expect(first).toBeLessThan(30_000);
    expect(first + (await gzipped("widget-markdown.js"))).toBeLessThan(45_000);
  });
});
