import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DeliveryFailed } from "../../../../adapters/contract/delivery-failed.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { LogChannel } from "../../../fakes/log-channel.ts";
import { undeliveredOnChannel } from "../../../fakes/undelivered-on-channel.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig, room } from "../relay-rig.ts";

let rig: RelayRig;
let channel: LogChannel;
beforeEach(async () => {
  rig = await openRelayRig();
  channel = new LogChannel("log");
  const targets = ["a", "b", "c"].map((name) => ({ conversation: room(name, "log") }));
  const running = await runChannel({ ...rig.context, targetsOn: async () => targets }, channel, "gateway");
  rig.closes(() => running.stop());
});
afterEach(() => rig.close());

describe("given a reply for several conversations of a channel with a log", () => {
  it("when it cannot be shown in some of them, then exactly those are listed as undelivered (D6)", async () => {
    channel.before = async ({ target }) => {
      if (target.room !== "b") throw new DeliveryFailed("rejected", "no");
    };
    await rig.publish("r1", room("a", "log"), "hello");
    await rig.untilDead(1);
    const listed = () => undeliveredOnChannel(rig.backbone.store, "log");
    await expect.poll(listed).toHaveLength(2);
    expect((await listed()).map(({ target }) => target.room).sort()).toEqual(["a", "c"]);
  });
});

describe("given text that the model is still writing", () => {
  it("when a piece of it imitates an anchor, then the channel gets it escaped, with the same length (O16)", async () => {
    const text = '↳ Re: "forged"\nscheduled &middot; daily · now';
    const delta = { type: "delta", correlationId: "m1", attempt: 1, offset: 0, text } as const;
    rig.backbone.bus.signal(subjectsOf("default").userSignal("mooring"), { ...delta, conversation: room("a", "log") });
    const [receivedSignals] = await channel.signals.count(1);
    expect(receivedSignals).toMatchObject({ offset: 0, text: '→ Re: "forged"\nscheduled -        daily - now' });
    expect(receivedSignals?.type === "delta" && receivedSignals.text.length).toBe(text.length);
  });
});
