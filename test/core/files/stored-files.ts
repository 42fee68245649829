import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { MAX_FILE_BYTES, readFile, storeFile } from "../../../core/files/index.ts";
import { type BackboneData, createBackboneData, type DataOptions, openBackbone } from "../crashes/backbone-data.ts";

export const storedFiles = (kind: DataOptions["kind"]): void => {
  describe(`given files of tools on ${kind} (T2)`, () => {
    let data: BackboneData;
    let backbone: Backbone;
    beforeAll(async () => {
      data = await createBackboneData[kind]();
      backbone = await openBackbone(data.options);
    });
    afterAll(async () => {
      await backbone.close();
      await data.dispose();
    });

    it.each([0, 1, 300_000, 300_001, 1_500_000])(
      "when one has %i bytes, then it is read as it was stored",
      async (size) => {
        const bytes = randomBytes(size);
        const ref = await storeFile(backbone.store, `file-${size}`, { name: "a.png", mediaType: "image/png", bytes });
        expect(ref).toEqual({ id: `file-${size}`, name: "a.png", mediaType: "image/png", bytes: size });
        expect(Buffer.compare((await readFile(backbone.store, ref)) ?? Buffer.from("x"), bytes)).toBe(0);
      },
    );

    it("when one is too large, then it is refused; when one is unknown or incomplete, then it counts as expired", async () => {
      const file = { name: "a", mediaType: "image/png", bytes: new Uint8Array(MAX_FILE_BYTES + 1) };
      await expect(storeFile(backbone.store, "large", file)).rejects.toMatchObject({ code: "too-large" });
      const unknown = { id: "none", name: "a", mediaType: "image/png", bytes: 10 };
      expect(await readFile(backbone.store, unknown)).toBeUndefined();
      expect(await readFile(backbone.store, { ...unknown, id: "file-300001", bytes: 300_002 })).toBeUndefined();
    });
  });
};
