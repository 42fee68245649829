import { describe, expect, it } from "vitest";
import type { AttachmentAdapter } from "../../../../adapters/contract/abilities.ts";
import { AppError } from "../../../../core/contract/app-error.ts";
import type { Attachment } from "../../../../core/contract/messages/user-message.ts";
import { silentLogger as logger } from "../../../../core/contract/ports/logger.ts";
import { withAttachmentText } from "../../../../gateway/relay/attachment-text.ts";
import { userMessage } from "../../../core/core-under-test.ts";
import { WatchedClock } from "../../../fakes/watched-clock.ts";

type Fetch = AttachmentAdapter["fetchAttachment"];

const clock = new WatchedClock();
const read = (fetchAttachment: Fetch, ...attachments: Attachment[]) => {
  const adapter = { channel: "paper", fetchAttachment } as AttachmentAdapter;
  return withAttachmentText({ clock, logger }, adapter, userMessage("m-1", "look", { attachments }));
};
const textsOf = async (message: ReturnType<typeof read>) => (await message).attachments.map(({ text }) => text);
const file = (id: string, mediaType = "text/plain", bytes?: number): Attachment => ({
  id,
  name: id,
  mediaType,
  ...(bytes !== undefined && { bytes }),
});
const says =
  (text: string): Fetch =>
  async () =>
    Buffer.from(text);

describe("given a message with attachments", () => {
  it("when some are text, then the message contains their text, and only the names of the others", async () => {
    const types = ["text/markdown", "application/json", "application/ld+json", "image/png", "application/pdf"];
    const texts = await textsOf(read(says("words"), ...types.map((type) => file(type, type))));
    expect(texts).toEqual(["words", "words", "words", undefined, undefined]);
  });

  it("when a text is long, then it is cut, and so is the total", async () => {
    const texts = await textsOf(read(says("x".repeat(30_000)), file("a"), file("b"), file("c"), file("d")));
    expect(texts[0]).toBe(`${"x".repeat(20_000)}\n[cut: 30000 characters in all]`);
    expect(texts.join("").length).toBeLessThan(61_000);
    expect(texts[3]).toBeUndefined();
  });

  it("when one is not text, too large or missing, then the message has only its name", async () => {
    const fetch: Fetch = async ({ id }) => {
      if (id === "gone") throw new AppError("not-found", "it has expired");
      return id === "binary" ? Buffer.from([0xff, 0xfe, 0]) : Buffer.from("a\0b");
    };
    expect(
      await textsOf(read(fetch, file("gone"), file("binary"), file("zeros"), file("huge", "text/plain", 1e6))),
    ).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("when one does not arrive in time, then the message is sent without its text", async () => {
    const fetch: Fetch = ({ id }) => (id === "slow" ? new Promise(() => {}) : Promise.resolve(Buffer.from("quick")));
    const reading = textsOf(read(fetch, file("slow"), file("quick")));
    await new Promise(setImmediate);
    await clock.passNext(1_500);
    expect(await reading).toEqual([undefined, "quick"]);
  });
});
