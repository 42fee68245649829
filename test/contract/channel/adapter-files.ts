import { beforeEach, describe, expect, it } from "vitest";
import type { AttachmentAdapter } from "../../../adapters/contract/abilities.ts";
import { capabilitiesIn, isAttachmentAdapter } from "../../../adapters/contract/abilities.ts";
import type { FileLimits, OutgoingFile } from "../../../adapters/contract/outgoing-file.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Attachment } from "../../../core/contract/messages/user-message.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig, failureOf, reasonOf } from "./contract-rig.ts";

const BYTES = Buffer.from(`id,name\n1,${"harbour ".repeat(40)}\n\u00e4\u2713\n`);

/** Files that people attach. */
export const adapterFiles = (makeHarness: MakeHarness): void => {
  describe("given a message with two files", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    let attachments: readonly Attachment[];

    beforeEach(async ({ skip }) => {
      expect(rig.harness.platform.attachments || !isAttachmentAdapter(rig.adapter)).toBe(true);
      skip(!rig.harness.platform.attachments, "people cannot attach files");
      const files = [
        { name: "ships.csv", mediaType: "text/csv", bytes: BYTES },
        { name: "empty notes.txt", mediaType: "text/plain", bytes: Buffer.from("x") },
      ];
      const { attachments: given } = await rig.accepted({ text: "look", files, kind: rig.widestKind });
      attachments = JSON.parse(JSON.stringify(given));
    });

    it("when it is accepted, then it names both files, in order, with their sizes if they are known", async () => {
      expect(attachments.map(({ name }) => name)).toEqual(["ships.csv", "empty notes.txt"]);
      expect(new Set(attachments.map(({ id }) => id)).size).toBe(2);
      const [first] = attachments;
      if (first?.bytes !== undefined) expect(first.bytes).toBe(BYTES.length);
    });

    it("when a file is fetched, also after a restart, then it has the same bytes", async ({ skip }) => {
      skip(!isAttachmentAdapter(rig.adapter), "the adapter cannot fetch files");
      expect(Buffer.from(await fetched(rig, attachments[0], BYTES.length))).toEqual(BYTES);
      await rig.restart();
      expect(Buffer.from(await fetched(rig, attachments[1], 1))).toEqual(Buffer.from("x"));
    });

    it("when a file is larger than the limit, then it is not fetched", async ({ skip }) => {
      skip(!isAttachmentAdapter(rig.adapter), "the adapter cannot fetch files");
      expect(await failureOf(fetched(rig, attachments[0], BYTES.length - 1))).toMatchObject({ code: "too-large" });
    });

    it("when a file does not exist, then the error says so", async ({ skip }) => {
      skip(!isAttachmentAdapter(rig.adapter), "the adapter cannot fetch files");
      const gone = JSON.parse(
        JSON.stringify(attachments[0])
          .replace(/\d(?=[^\d]*$)/, "0")
          .replaceAll("ships", "gone"),
      );
      expect(await failureOf(fetched(rig, { ...gone, id: `${gone.id}0` }, 1_000))).toMatchObject({
        code: expect.stringMatching(/^(not-found|bad-input|forbidden)$/),
      });
    });
  });
};

/** Files that the agent sends. */
export const adapterSentFiles = (makeHarness: MakeHarness): void => {
  describe("given a reply with files", () => {
    const rig = new ContractRig(makeHarness, { start: true });
    const file = (name: string, content: Buffer): OutgoingFile => {
      const about = { name, mediaType: "text/csv", bytes: content.length };
      const ref = { id: `file-${name.replace(/\W/g, "-")}`, ...about };
      rig.harness.storedFiles?.set(ref.id, content);
      return { ...about, ref, read: async () => content };
    };
    let target: Conversation;
    let limits: FileLimits;
    const deliver = (files: readonly OutgoingFile[], id = "r1") =>
      rig.adapter.deliver(sampleDelivery(id, target, "here they are", { files }));

    beforeEach(async ({ skip }) => {
      skip(rig.adapter.capabilities.files === undefined, "the channel sends no files");
      target = await rig.conversationWith({ kind: rig.widestKind });
      if (limitsAt(target).accepts?.("text/csv") === false) target = await rig.conversationWith({ kind: "private" });
      limits = limitsAt(target);
    });
    const limitsAt = (conversation: Conversation): FileLimits =>
      capabilitiesIn(rig.adapter, conversation).files ?? { maxBytes: 0, maxCount: 0 };

    it("when it is delivered, then people see its text, and each file with its name and its bytes", async () => {
      const files = [file("ships.csv", BYTES), file("one more.csv", Buffer.from("x"))].slice(0, limits.maxCount);
      const { messageId } = await deliver(files);
      const posts = await rig.harness.posted(1);
      expect(posts).toMatchObject([{ messageId, text: expect.stringContaining("here they are") }]);
      const expected = [
        { name: expect.stringMatching(/^ships\.csv$/), bytes: BYTES },
        { name: expect.stringMatching(/^one.more\.csv$/), bytes: Buffer.from("x") },
      ];
      expect(posts[0]?.files).toEqual(expected.slice(0, limits.maxCount));
    });

    it("when the part has files and no text, then people see the files", async () => {
      await rig.adapter.deliver(sampleDelivery("r2", target, "", { files: [file("ships.csv", BYTES)] }));
      expect((await rig.harness.posted(1))[0]?.files).toEqual([{ name: "ships.csv", bytes: BYTES }]);
    });

    it("when a file is too large, there are too many, or one no longer exists, then nothing is posted", async () => {
      const { maxBytes, maxCount } = limits;
      const gone = { ...file("gone.csv", BYTES), read: () => Promise.reject(new AppError("not-found", "it is gone")) };
      const many = Array.from({ length: maxCount + 1 }, (_, index) => file(`${index}.csv`, Buffer.from("x")));
      for (const files of [[file("large.csv", Buffer.alloc(maxBytes + 1))], many, [gone]]) {
        expect(await reasonOf(deliver(files))).toBe("rejected");
      }
      expect(await rig.harness.posted(0)).toEqual([]);
    });

    it("when a file cannot be read just now, then nothing is posted, and a retry can succeed", async () => {
      const away = { ...file("a.csv", BYTES), read: () => Promise.reject(new AppError("unavailable", "try again")) };
      expect(await reasonOf(deliver([away]))).toBe("unavailable");
      expect(await rig.harness.posted(0)).toEqual([]);
      await deliver([file("a.csv", BYTES)]);
      expect((await rig.harness.posted(1))[0]?.files).toEqual([{ name: "a.csv", bytes: BYTES }]);
    });
  });
};

const fetched = (rig: ContractRig, attachment: Attachment | undefined, maxBytes: number): Promise<Uint8Array> =>
  (rig.adapter as AttachmentAdapter).fetchAttachment(attachment as Attachment, maxBytes);
