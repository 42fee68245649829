import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { collection, prefixOf } from "../../../../core/contract/ports/store.ts";
import { fileProblem } from "../../../../core/contract/texts/file-problem.ts";
import { readAttachmentTool } from "../../../../core/files/read-attachment-tool.ts";
import { NotFetched, receiveFile } from "../../../../core/files/received/receive-file.ts";
import { findReceived, receivedFileId, settleReceived } from "../../../../core/files/received/received-file.ts";
import { addToSession, deleteFilesOf, filesOfSession } from "../../../../core/files/received/session-files.ts";
import { pdfOf, pngOf } from "../../../fakes/sample-files.ts";
import { type BackboneData, createBackboneData, type DataOptions, openBackbone } from "../../crashes/backbone-data.ts";

const DAY_MS = 24 * 3_600_000;
const PDF = pdfOf(["Berth 7 is free"]);

/** Receiving, crashes and access of files, on one backbone. */
export const receivedFiles = (kind: DataOptions["kind"]): void => {
  let data: BackboneData;
  let backbone: Backbone;
  let fetches = 0;
  beforeAll(async () => {
    data = await createBackboneData[kind]();
    backbone = await openBackbone(data.options);
  });
  afterAll(async () => {
    await backbone.close();
    await data.dispose();
  });

  const idOf = (message: string) => receivedFileId({ tenant: "default", agent: "mooring", id: message }, 0);
  const receive = (message: string, name: string, bytes: Buffer | Error, crashAt?: string) =>
    receiveFile(
      {
        store: backbone.store,
        ttlMs: DAY_MS,
        checkpoint: async (point) => {
          if (point === crashAt) throw new Error(`crash at ${point}`);
        },
      },
      { id: idOf(message), attachment: { id: "a", name, mediaType: "text/plain" } },
      async () => {
        fetches++;
        if (bytes instanceof Error) throw bytes;
        return bytes;
      },
    );
  const read = (sessionId: string, input: { file?: number; page?: number }) =>
    readAttachmentTool(backbone.store).run(input, { sessionId } as never);
  const countOf = async (name: string, id: string): Promise<number> => {
    let count = 0;
    for await (const _ of backbone.store.list(prefixOf(collection(name, z.unknown()), id))) count++;
    return count;
  };

  describe(`given a file that a gateway fetches on ${kind} (M3)`, () => {
    it.each(["file.stored", "file.fetched", "file.read"])(
      "when its process crashes at %s, then a repeat ends with the same file, and fetches only bytes that are not stored",
      async (point) => {
        fetches = 0;
        await expect(receive(`crash-${point}`, "plan.pdf", PDF, point)).rejects.toThrow("crash");
        const file = await receive(`crash-${point}`, "plan.pdf", PDF);
        expect(file).toMatchObject({ state: "ready", kind: "text", mediaType: "application/pdf", bytes: PDF.length });
        expect(fetches).toBe(point === "file.stored" ? 2 : 1);
        expect(await receive(`crash-${point}`, "plan.pdf", new Error("not asked again"))).toEqual(file);
      },
    );

    it("when it cannot be fetched or read, then the sentence for its sender is stored, and no bytes are", async () => {
      const refused = await receive("refused", "a.pdf", new NotFetched(fileProblem("noFile", "a.pdf")));
      expect(refused).toMatchObject({ state: "failed", problem: "I could not get a.pdf: the channel sent no file." });
      const unknown = await receive("unknown", "**a**.bin", Buffer.from([0, 1, 255]));
      expect(unknown.problem).toMatch(/^I cannot read this kind of file \(a\.bin\): /);
      expect(await countOf("received-chunks", idOf("unknown"))).toBe(0);
      await expect(receive("away", "a.pdf", new Error("try again"))).rejects.toThrow("try again");
      expect(await findReceived(backbone.store, idOf("away"))).toBeUndefined();
    });

    it("when its turn has stopped waiting, then the late bytes are deleted", async () => {
      const missing = { id: idOf("late"), name: "a.png", mediaType: "x/y", label: "file", bytes: 0 };
      await settleReceived(backbone.store, { ...missing, state: "failed", problem: "too late" });
      expect(await receive("late", "a.png", pngOf(1, 1, [0, 0, 0]))).toMatchObject({ problem: "too late" });
      expect(await countOf("received-chunks", idOf("late"))).toBe(0);
    });
  });

  describe(`given the files of two sessions on ${kind} (M3)`, () => {
    const sessions = { own: `s-own-${kind}`, other: `s-other-${kind}` };
    beforeAll(async () => {
      const long = Buffer.from(`start ${"ä".repeat(30_000)} end`);
      const files = [await receive("long", "long.txt", long), await receive("photo", "p.png", pngOf(1, 1, [1, 2, 3]))];
      await addToSession(backbone.store, sessions.own, files, DAY_MS);
      // A repeat after a crash.
      await addToSession(backbone.store, sessions.own, files, DAY_MS);
    });

    it("when the agent reads its own, then it gets pages within the limit of an output, or the picture", async () => {
      expect(await read(sessions.own, {})).toBe(
        "[attached file 1: long.txt (text, 60 kB)]\n[attached file 2: p.png (PNG image, 69 B)]",
      );
      const first = await read(sessions.own, { file: 1 });
      expect(first).toMatch(/^\[attached file 1: long\.txt \(text, 60 kB\)\] page 1 of 4\nstart ä/);
      expect(Buffer.byteLength(String(first))).toBeLessThan(32_000);
      expect(await read(sessions.own, { file: 1, page: 4 })).toMatch(/ä end$/);
      await expect(read(sessions.own, { file: 1, page: 5 })).rejects.toThrow("File 1 has 4 pages");
      expect(await read(sessions.own, { file: 2 })).toMatchObject({ shown: [{ mediaType: "image/png" }] });
    });

    it("when the agent reads in another session, then there is no such file", async () => {
      await expect(read(sessions.other, { file: 1 })).rejects.toThrow("There is no file 1");
    });

    it("when the session ends, then its files are deleted, also if that is repeated", async () => {
      await deleteFilesOf(backbone.store, sessions.own);
      await deleteFilesOf(backbone.store, sessions.own);
      expect(await filesOfSession(backbone.store, sessions.own)).toEqual([]);
      for (const name of ["received-files", "received-chunks", "received-texts"]) {
        expect(await countOf(name, idOf("long"))).toBe(0);
      }
    });

    it("when a session has too many files, then the oldest are deleted, and numbers stay", async () => {
      const file = (index: number) => ({
        id: `in-${kind}-${index}`,
        name: "a.txt",
        mediaType: "text/plain",
        label: "text",
        bytes: 1,
        state: "ready" as const,
      });
      const all = Array.from({ length: 103 }, (_, index) => file(index));
      await addToSession(backbone.store, `s-many-${kind}`, all, DAY_MS);
      const kept = await filesOfSession(backbone.store, `s-many-${kind}`);
      expect([kept.length, kept[0]?.number, kept.at(-1)?.number]).toEqual([100, 4, 103]);
    });
  });
};
