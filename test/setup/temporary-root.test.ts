import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryRoot } from "./temporary-root.ts";

it("given a folder in memory, when it has room, then the files of a run go there; an explicit TMPDIR wins", () => {
  const folder = mkdtempSync(join(tmpdir(), "mooring-root-"));
  try {
    expect(temporaryRoot({ env: {}, folder, neededBytes: 1 })).toBe(folder);
    expect(temporaryRoot({ env: {}, folder, neededBytes: Number.MAX_VALUE })).toBe(tmpdir());
    expect(temporaryRoot({ env: {}, folder: join(folder, "absent"), neededBytes: 1 })).toBe(tmpdir());
    expect(temporaryRoot({ env: { TMPDIR: "/other" }, folder, neededBytes: 1 })).toBe("/other");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
