import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sendAgain } from "../../../../core/delivery/undelivered/settle-undelivered.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
  const running = await runChannel(rig.context, rig.paper("repeats"), "gateway");
  rig.closes(() => running.stop());
});
afterEach(() => rig.close());

const shown = () => rig.platform.notes.map(({ text }) => text);

describe("given a delivery that became a dead letter (D6)", () => {
  it("when its outcome is unknown and a user sends it again, then it is sent once per request", async () => {
    rig.platform.faultIn = () => "cut-after-accept";
    await rig.publish("r1", room("a"), "hello");
    const [letter] = await rig.untilDead(1);
    rig.platform.recover();
    if (letter === undefined) throw new Error("there is no dead letter");
    await sendAgain({ ...rig.backbone, clock: rig.clock }, letter);
    await sendAgain({ ...rig.backbone, clock: rig.clock }, letter);
    await rig.publish("r2", room("a"), "next");
    await rig.platform.until(({ notes }) => notes.some(({ text }) => text === "next"));
    expect(shown()).toEqual(["hello", "hello", "next"]);
    expect(await rig.ledger("r1")).toEqual(["accepted"]);
    expect(await rig.deadLetters()).toEqual([]);
  });

  it("when one of its parts is missing, then only that part is sent", async () => {
    const paragraphs = ["one", "two", "three"].map((word) => `${word} `.repeat(60).trim());
    rig.platform.faultIn = () => (rig.platform.posts === 2 ? "room-gone" : undefined);
    await rig.publish("r1", room("a"), paragraphs.join("\n\n"));
    const [letter] = await rig.untilDead(1);
    if (letter === undefined) throw new Error("there is no dead letter");
    await sendAgain({ ...rig.backbone, clock: rig.clock }, letter);
    await rig.platform.until(({ notes }) => notes.length === 3);
    expect(shown()).toEqual(paragraphs);
  });
});
