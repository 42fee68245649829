import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChannelAdapter } from "../../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../../adapters/contract/delivery-failed.ts";
import type { FileRef } from "../../../../core/contract/file-ref.ts";
import { isoTime } from "../../../../core/contract/ports/clock.ts";
import { LANGUAGES } from "../../../../core/contract/texts/texts.ts";
import { revokeLinks, storeFile } from "../../../../core/files/index.ts";
import { fileLinker } from "../../../../gateway/files/index.ts";
import type { RelayContext } from "../../../../gateway/relay/context.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { LogChannel } from "../../../fakes/log-channel.ts";
import { sampleReply } from "../../../fakes/sample-reply.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

const LIMITS = { maxBytes: 100, maxCount: 2, accepts: (type: string) => type !== "video/mp4" };
const LINK = /\(https:\/\/files\.example\/files\/link-[0-9a-f]+\.[\w-]{43}\/(\d)\)/;
let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const run = async (adapter: ChannelAdapter, context: Partial<RelayContext> = {}): Promise<void> => {
  const running = await runChannel({ ...rig.context, ...context }, adapter, "gateway");
  rig.closes(() => running.stop());
};
const linked = (): Partial<RelayContext> => ({
  fileLinks: fileLinker({ store: rig.backbone.store, clock: rig.clock, filesUrl: "https://files.example" }),
});
const stored = (name: string, content = `content of ${name}`, mediaType = "text/plain"): Promise<FileRef> =>
  storeFile(rig.backbone.store, `file-${name}`, { name, mediaType, bytes: Buffer.from(content) });
const texts = async (count: number): Promise<string[]> => {
  await rig.platform.until(({ notes }) => notes.length >= count);
  return rig.platform.notes.map(({ text }) => text);
};
const marked = (count: number) =>
  rig.checkpoints.until((items) => items.filter((name) => name === "delivery.marked").length >= count);
const publish = (files: FileRef[], markdown = "here", more = {}) =>
  rig.publish("r1", room("a"), markdown, { files, createdAt: isoTime(rig.clock.now()), ...more });

describe("given a reply with files, and a channel that sends files (M3)", () => {
  it("when it is delivered, then the files follow the text, as many in a message as it takes", async () => {
    await run(rig.paper("repeats", "reconciling", { files: LIMITS }));
    await publish([await stored("a"), await stored("b"), await stored("c")]);
    expect(await texts(3)).toEqual(["here", "[a: content of a]\n[b: content of b]", "[c: content of c]"]);
    await marked(3);
    expect(await rig.ledger("r1")).toEqual(["accepted", "accepted", "accepted"]);
  });

  it("when it has no text, then only the files are sent", async () => {
    await run(rig.paper("repeats", "reconciling", { files: LIMITS }));
    await publish([await stored("a")], "");
    expect(await texts(1)).toEqual(["[a: content of a]"]);
  });

  it("when a file is too large, empty or of a type that the channel refuses, then the text has a link to it", async () => {
    await run(rig.paper("repeats", "reconciling", { files: LIMITS }), linked());
    await publish([await stored("big", "x".repeat(101)), await stored("a"), await stored("film", "f", "video/mp4")]);
    const [text = "", file] = await texts(2);
    expect(text).toMatch(new RegExp(`^here\n\n📎 \\[big\\]${LINK.source} \\(101 B\\)\n📎 \\[film\\]${LINK.source}`));
    expect(text).toContain("_Links work for 24 hours._");
    expect(file).toBe("[a: content of a]");
  });

  it("when the channel's readers are German, then the note about the links is German", async () => {
    await run(rig.paper("repeats", "reconciling"), { ...linked(), localeOn: () => "de" });
    await publish([await stored("a"), await stored("none", "")]);
    const [text] = await texts(1);
    expect(text).toContain("📎 none (eine leere Datei)");
    expect(text).toContain(LANGUAGES.de.files.links.goodFor);
  });

  it("when a file has expired, then its part says so, and other files of the message have links", async () => {
    await run(rig.paper("repeats", "reconciling", { files: LIMITS }), linked());
    const gone = { id: "file-gone", name: "gone", mediaType: "text/plain", bytes: 3 };
    await publish([gone, await stored("a")]);
    const [, part] = await texts(2);
    expect(part).toMatch(new RegExp(`^📎 gone \\(no longer available\\)\n\n📎 \\[a\\]${LINK.source}`));
    await marked(2);
    expect(await rig.ledger("r1")).toEqual(["accepted", "accepted"]);
  });

  it("when the platform refuses a file, then a link to it is sent instead, once", async () => {
    rig.platform.faultIn = () => (rig.platform.posts === 2 ? "no-access" : undefined);
    await run(rig.paper("repeats", "reconciling", { files: LIMITS }), linked());
    await publish([await stored("a")]);
    const [text, part] = await texts(2);
    expect(text).toBe("here");
    expect(part).toMatch(new RegExp(`^📎 \\[a\\]${LINK.source}`));
    expect(rig.platform.posts).toBe(3);
  });
});

describe("given a reply with files, and a channel that sends none (M3)", () => {
  it("when the gateway has a public address, then the text has unguessable links, with escaped names", async () => {
    await run(rig.paper("repeats", "reconciling"), linked());
    await publish([await stored("a_[x](y).txt")]);
    const [text = ""] = await texts(1);
    expect(text).toMatch(
      new RegExp(`^here\n\n📎 \\[a\\\\_\\\\\\[x\\\\\\]\\\\\\(y\\\\\\)\\.txt\\]${LINK.source} \\(23 B\\)`),
    );
  });

  it("when it has none, then the text names the files and says why they cannot be opened", async () => {
    await run(rig.paper("repeats", "reconciling"));
    await publish([await stored("a")]);
    expect(await texts(1)).toEqual([
      "here\n\n📎 a (12 B)\n_These files cannot be opened here, because this Mooring has no public address._",
    ]);
  });

  it("when the links were revoked before a retry, then the text says so", async () => {
    const files = [await stored("a")];
    const { fileLinks } = linked();
    await fileLinks?.(sampleReply("r1", room("a"), "here", { files }), room("a"));
    await revokeLinks(rig.backbone.store, "r1", room("a"));
    await run(rig.paper("repeats", "reconciling"), linked());
    await publish(files);
    expect(await texts(1)).toEqual(["here\n\n📎 a (12 B)\n_The links to these files were revoked._"]);
  });
});

describe("given a reply with files, and a channel with a log (M3)", () => {
  it("when it is delivered, then text and files are one entry", async () => {
    const log = new LogChannel("paper", { connection: "shared", resend: "log", files: LIMITS });
    await run(log);
    await publish([await stored("a"), await stored("b"), await stored("c")]);
    const [delivery, ...others] = await log.deliveries.until((items) => items.length > 0);
    expect(others).toEqual([]);
    expect(delivery?.part.markdown).toBe("here");
    expect(delivery?.files?.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("when it refuses the files, then the entry has links", async () => {
    const log = new LogChannel("paper", { connection: "shared", resend: "log", files: LIMITS });
    log.before = async ({ files }) => {
      if (files !== undefined) throw new DeliveryFailed("rejected", "no files today");
    };
    await run(log, linked());
    await publish([await stored("a")]);
    const [delivery] = await log.deliveries.until((items) => items.length > 0);
    expect(delivery?.part.markdown).toMatch(new RegExp(`^here\n\n📎 \\[a\\]${LINK.source}`));
  });
});
