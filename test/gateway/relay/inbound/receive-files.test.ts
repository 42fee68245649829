import { setImmediate as tick } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AttachmentAdapter } from "../../../../adapters/contract/abilities.ts";
import type { PersonBudget } from "../../../../adapters/contract/adapter-context.ts";
import { AppError } from "../../../../core/contract/app-error.ts";
import type { Attachment, PersonMessage } from "../../../../core/contract/messages/user-message.ts";
import { findReceived, type ReceivedFile } from "../../../../core/files/received/received-file.ts";
import type { RelayContext } from "../../../../gateway/relay/context.ts";
import { requestFiles, startReceivingFiles } from "../../../../gateway/relay/receive-files.ts";
import { sampleMessage } from "../../../fakes/sample-message.ts";
import { openRelayRig, type RelayRig, room } from "../relay-rig.ts";

let rig: RelayRig;
let fetched: string[];
beforeEach(async () => {
  rig = await openRelayRig();
  fetched = [];
});
afterEach(() => rig.close());

const text = { id: "a", name: "notes.txt", mediaType: "text/plain" };

const messageWith = (attachments: Attachment[]): PersonMessage =>
  sampleMessage({ id: "m-1", conversation: room("lobby"), attachments });

/** Queues the files of a message and receives them; resolves to their records. */
const receive = async (
  attachments: Attachment[],
  fetch: (attachment: Attachment) => Promise<Uint8Array>,
  more: Partial<RelayContext> = {},
): Promise<ReceivedFile[]> => {
  const adapter: AttachmentAdapter = Object.assign(rig.paper("repeats"), {
    fetchAttachment: async (attachment: Attachment) => {
      fetched.push(attachment.id);
      return fetch(attachment);
    },
  });
  const consumer = await startReceivingFiles({ ...rig.context, ...more }, adapter);
  rig.closes(() => consumer.close());
  const { attachments: queued } = await requestFiles(rig.context)(messageWith(attachments));
  const records = () => Promise.all(queued.map(({ file = "" }) => findReceived(rig.backbone.store, file)));
  for (;;) {
    const found = (await records()).filter((record) => record !== undefined && record.state !== "fetched");
    if (found.length === attachments.length) return found as ReceivedFile[];
    // Retries are due; documents take real time.
    rig.clock.advance(1_000);
    await tick();
  }
};

const refuse = (code: ConstructorParameters<typeof AppError>[0]) => async () => {
  throw new AppError(code, "token=secret");
};

describe("given the files of a message (M3)", () => {
  it("when they are requested again, then they have the same ids; those beyond the tenth are not fetched", async () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ ...text, id: `a-${index}` }));
    const first = await requestFiles(rig.context)(messageWith(many));
    expect(await requestFiles(rig.context)(messageWith(many))).toEqual(first);
    expect(new Set(first.attachments.slice(0, 10).map(({ file }) => file)).size).toBe(10);
    expect(first.attachments.slice(10).map(({ file }) => file)).toEqual([undefined, undefined]);
  });

  it("when their server is away for a while, then they are fetched once it is back", async () => {
    const [file] = await receive([text], async () => {
      if (fetched.length < 3) throw new AppError("unavailable", "try again");
      return Buffer.from("wind from the west");
    });
    expect(file).toMatchObject({ state: "ready", kind: "text", bytes: 18 });
    expect(fetched).toHaveLength(3);
  });

  it("when their server stays away, then the sender learns it", async () => {
    const [file] = await receive([text], refuse("unavailable"));
    expect(file?.problem).toMatch(/^I could not get notes\.txt: the server that has it does not answer/);
  });

  it.each([
    ["not-found", /no longer exists where it was sent/],
    ["forbidden", /not allowed to fetch it/],
    ["too-large", /^I cannot read notes\.txt: it is larger than 20 MB\.$/],
  ] as const)("when the channel says %s, then the sender gets a sentence without internals", async (code, problem) => {
    const [file] = await receive([text], refuse(code));
    expect(file?.problem).toMatch(problem);
    expect(file?.problem).not.toContain("secret");
    expect(fetched).toHaveLength(1);
  });

  it("when one announces too many bytes, then it is not fetched; when an adapter returns no bytes, then the sender learns it", async () => {
    const [large, odd] = await receive(
      [
        { ...text, bytes: 30_000_000 },
        { ...text, id: "b" },
      ],
      async () => "no bytes" as never,
    );
    expect(large?.problem).toContain("larger than 20 MB");
    expect(odd?.problem).toBe("I could not get notes.txt: the channel sent no file.");
    expect(fetched).toEqual(["b"]);
  });

  it("when the sender's budget is used up, then the file is refused; bytes that the channel has counted are not counted again (R2)", async () => {
    const taken: number[] = [];
    let isFull = false;
    const personBudget: PersonBudget = {
      check: async () => {
        if (isFull) throw new AppError("rate-limited", "your budget for today is used up");
      },
      take: async (_, bytes) => {
        taken.push(bytes);
        return () => undefined;
      },
    };
    const wind = async () => Buffer.from("wind");
    await receive([text, { ...text, id: "b", counted: true }], wind, { personBudget });
    expect(taken).toEqual([4]);
    isFull = true;
    const refused = { ...text, id: "c", name: "c.txt" };
    const { attachments } = await requestFiles(rig.context)({ ...messageWith([refused]), id: "m-2" });
    const file = attachments[0]?.file ?? "";
    while ((await findReceived(rig.backbone.store, file)) === undefined) await tick();
    expect((await findReceived(rig.backbone.store, file))?.problem).toContain("your budget for today is used up");
  });

  it("when the disk is nearly full, then the file is refused before it is fetched (R3)", async () => {
    const [file] = await receive([text], async () => Buffer.from("wind"), { freeBytes: async () => 100_000_000 });
    expect(file?.problem).toContain("my disk is nearly full");
    expect(fetched).toEqual([]);
  });

  it("when a file fails its handler every time, then its message is not held up by it", async () => {
    const checkpoint = async (point: string) => {
      if (point === "file.stored") throw new TypeError("a bug");
    };
    const [file] = await receive([text], async () => Buffer.from("wind"), { checkpoint });
    expect(file?.problem).toBe("I cannot read notes.txt: reading it failed several times.");
  });
});
