import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../../core/contract/app-error.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { ack } from "../../../../core/contract/ports/bus.ts";
import { editedText } from "../../../../core/intake/resolve-turn.ts";
import { createInbox } from "../../../../gateway/relay/inbox.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { type MessageFields, sampleMessage } from "../../../fakes/sample-message.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const said = (id: string, more: MessageFields = {}) =>
  sampleMessage({ id, conversation: room("a"), text: id, ...more });
const command = (id: string, name: string) => said(id, { command: { name, args: "" } });
const original = sampleMessage({ id: "m-1", conversation: room("a"), text: "m-1", editable: true });
const edit = sampleMessage({ kind: "edit", id: "m-1", conversation: room("a"), text: "other words" });

describe("given a running turn", () => {
  it("when commands arrive, then only one that must take effect in order waits for the turn (I3)", async () => {
    const begun = new Recorder<string>();
    let endTurn = () => {};
    const turn = new Promise<void>((resolve) => {
      endTurn = resolve;
    });
    const consumer = await rig.backbone.bus.consume(
      subjectsOf("default").userMessage("mooring"),
      { durable: "core", concurrency: 8 },
      async ({ id }) => {
        begun.add(id);
        if (id === "work") await turn;
        return ack;
      },
    );
    rig.closes(() => consumer.close());
    const inbox = createInbox(rig.context);
    await inbox.accept(said("work"));
    await inbox.accept(command("afresh", "new"));
    await inbox.accept(command("stop", "cancel"));
    await begun.until((ids) => ids.includes("stop"));
    expect(begun.items).not.toContain("afresh");
    endTurn();
    await begun.count(3);
    expect([...begun.items].sort()).toEqual(["afresh", "stop", "work"]);
  });
});

describe("given a message that its author edits", () => {
  it("when the edit is reported, then it is stored for the turn that starts, and is not a second message", async () => {
    const inbox = createInbox(rig.context);
    await inbox.accept(original);
    await inbox.accept(edit);
    const receivedTexts = new Recorder<string>();
    const consumer = await rig.backbone.bus.consume(
      subjectsOf("default").userMessage("mooring"),
      { durable: "core", concurrency: 8 },
      async ({ text }) => {
        receivedTexts.add(text);
        return ack;
      },
    );
    rig.closes(() => consumer.close());
    await inbox.accept(said("m-2"));
    expect(await receivedTexts.count(2)).toEqual(["m-1", "m-2"]);
    expect(await editedText(rig.backbone.store, original)).toBe("other words");
  });

  it("when the author may not write here, then the edit is not stored", async () => {
    const inbox = createInbox({ ...rig.context, access: { accounts: ["bob"] } });
    await expect(inbox.accept(edit)).rejects.toMatchObject({ code: "forbidden" });
    expect(await editedText(rig.backbone.store, original)).toBeUndefined();
  });
});

describe("given a message with an attachment on a platform", () => {
  it("when its account has no access or the agent is overloaded, then the attachment is not fetched (R3)", async () => {
    const fetched: string[] = [];
    const read = async <M extends { readonly id: string }>(message: M) => {
      fetched.push(message.id);
      return message;
    };
    const attachments = [{ id: "f-1", name: "a.txt", mediaType: "text/plain" }];
    const closed = createInbox({ ...rig.context, access: { accounts: ["bob"] }, read });
    await expect(closed.accept(said("m-1", { attachments }))).rejects.toMatchObject({ code: "forbidden" });
    const refuseIfOverloaded = () => {
      throw new AppError("rate-limited", "too many messages");
    };
    const full = createInbox({ ...rig.context, refuseIfOverloaded, read });
    await expect(full.accept(said("m-2", { attachments }))).rejects.toMatchObject({ code: "rate-limited" });
    expect(fetched).toEqual([]);
    await createInbox({ ...rig.context, read }).accept(said("m-3", { attachments }));
    expect(fetched).toEqual(["m-3"]);
  });
});
