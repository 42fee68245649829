import { setImmediate as tick } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { LANGUAGES } from "../../../core/contract/texts/texts.ts";
import { receiveFile } from "../../../core/files/received/receive-file.ts";
import { receivedFileId, settleReceived } from "../../../core/files/received/received-file.ts";
import { pngOf } from "../../fakes/sample-files.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const OTHER_ROOM = { conversation: { channel: "web", room: "room-2", kind: "private" as const } };
const idOf = (message: string, index = 0) =>
  receivedFileId({ tenant: "default", agent: "mooring", id: message }, index);

/** Message `id` with these files; those with content have arrived. */
const withFiles = async (
  id: string,
  text: string,
  files: Readonly<Record<string, Buffer | undefined>>,
  more: Parameters<typeof userMessage>[2] = {},
) => {
  const attachments = Object.keys(files).map((name, index) => ({
    id: name,
    name,
    mediaType: "text/plain",
    file: idOf(id, index),
  }));
  for (const [index, bytes] of Object.values(files).entries())
    if (bytes) await arrive(id, index, attachments[index]?.name, bytes);
  return userMessage(id, text, { attachments, ...more });
};

const arrive = async (message: string, index: number, name = "file", bytes: Buffer) => {
  const deps = { store: core.backbone.store, checkpoint: async () => undefined, ttlMs: 1_000_000 };
  const id = idOf(message, index);
  await receiveFile(deps, { id, attachment: { id: name, name, mediaType: "text/plain" } }, async () => bytes);
  core.backbone.bus.signal(subjectsOf("default").fileReceived("mooring"), { id });
};

const notices = () => core.replies.items.filter(({ kind }) => kind === "notice");

describe("given a message whose file is still being fetched (M3)", () => {
  it("when it arrives, then the message is answered with it, and other conversations have not waited", async () => {
    core = await CoreUnderTest.start(() => "ok");
    await core.receive(await withFiles("m-1", "read it", { "wind.txt": undefined }));
    expect((await core.ask("m-2", "hello", OTHER_ROOM)).markdown).toBe("ok");
    expect(core.model.requests.items).toHaveLength(1);
    await arrive("m-1", 0, "wind.txt", Buffer.from("wind from the west"));
    await core.replyTo("m-1");
    expect(core.model.requests.items[1]?.messages).toMatchObject([
      {
        role: "user",
        text: "read it\n[attached file 1: wind.txt (text, 18 B)]\nwind from the west\n[end of wind.txt]",
      },
    ]);
    expect(notices()).toEqual([]);
  });

  it("when it does not arrive, then the message is answered without it, and the person learns that", async () => {
    core = await CoreUnderTest.start(() => "ok");
    await core.receive(await withFiles("m-1", "read it", { "wind.txt": undefined }));
    let isAnswered = false;
    const answered = core.replyTo("m-1").finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      core.clock.advance(1_000);
      await tick();
    }
    expect((await answered).markdown).toBe("ok");
    expect(notices().map(({ markdown }) => markdown)).toEqual([
      "I could not get wind.txt in time. Please send it again.",
    ]);
  });
});

describe("given files of a message in its prompt (M3)", () => {
  it("when they are long, then the prompt is bounded, and later prompts have only their beginning", async () => {
    core = await CoreUnderTest.start(() => "ok", { agent: { contextTokens: 30_000 } });
    const long = Buffer.from("x".repeat(50_000));
    const files = { "a.txt": long, "b.txt": long, "c.txt": long };
    await core.receive(await withFiles("m-1", "compare", files));
    await core.replyTo("m-1");
    const first = JSON.stringify(core.model.requests.items[0]?.messages);
    expect(first.length).toBeLessThan(31_000);
    expect(first).toContain("20000 of 50000 characters; read_attachment reads file 1 from page 3 on");
    await core.ask("m-2", "and now?");
    const [earlier] = core.model.requests.items[1]?.messages ?? [];
    expect(JSON.stringify(earlier).length).toBeLessThan(6_000);
    expect(JSON.stringify(earlier)).toContain("[attached file 3: c.txt (text, 50 kB)]");
  });

  it("when the model takes text only, then a message with a picture alone is answered at once, without the model", async () => {
    core = await CoreUnderTest.start(() => "ok");
    await core.receive(await withFiles("m-1", "", { "photo.png": pngOf(1, 1, [1, 2, 3]) }));
    expect((await core.replyTo("m-1")).markdown).toBe("I cannot look at images (photo.png): my model reads text only.");
    expect(core.model.requests.items).toEqual([]);
  });

  it("when one cannot be read, then the person gets one notice, whose id is that of the turn in every retry", async () => {
    core = await CoreUnderTest.start(() => "ok");
    const message = await withFiles("m-1", "and this?", { "x.bin": Buffer.from([0, 255, 1]) });
    await core.receive(message);
    await core.replyTo("m-1");
    expect(notices().map(({ id }) => id)).toEqual([expect.stringMatching(/^t-[0-9a-f]+\/files$/)]);
    expect(notices()[0]?.markdown).toContain("I cannot read this kind of file (x.bin): I can read images");
  });
});

describe("given a German person whose files cannot be read", () => {
  const account = { id: "ann", name: "Ann", locale: "de" };
  const { problems } = LANGUAGES.de.files;

  it("when they write with them, then they read why in German, and the model in English", async () => {
    core = await CoreUnderTest.start(() => "ok");
    const files = {
      "x.bin": Buffer.from([0, 255, 1]),
      "a.txt": Buffer.from(""),
      "b.gz": Buffer.from("\x1f\x8b", "latin1"),
    };
    await core.receive(await withFiles("m-1", "and this?", files, { account }));
    await core.replyTo("m-1");
    const why = [
      problems.unknownKind("x.bin"),
      problems.because("a.txt", "is empty"),
      problems.otherKind("b.gz", "compressed archive"),
    ];
    expect(notices().map(({ markdown }) => markdown)).toEqual([why.join("\n\n")]);
    expect(why[1]).toBe("Ich kann a.txt nicht lesen: Die Datei ist leer.");
    const prompt = JSON.stringify(core.model.requests.items[0]?.messages);
    expect(prompt).toContain("the person already has this notice: I cannot read a.txt: the file is empty.");
  });

  it("when an older process has stored only a sentence, then they read that", async () => {
    core = await CoreUnderTest.start(() => "ok");
    const old = { id: idOf("m-1"), name: "a.txt", mediaType: "text/plain", label: "text", bytes: 0 };
    await settleReceived(core.backbone.store, { ...old, state: "failed", problem: "I cannot read a.txt: it is odd." });
    await core.receive(await withFiles("m-1", "", { "a.txt": undefined }, { account }));
    expect((await core.replyTo("m-1")).markdown).toBe("I cannot read a.txt: it is odd.");
  });
});
