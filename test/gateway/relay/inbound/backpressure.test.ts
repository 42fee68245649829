import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { publishLoad } from "../../../../core/intake/publish-load.ts";
import { Backpressure, createInbox } from "../../../../gateway/relay/inbound/inbox.ts";
import { userMessage } from "../../../core/core-under-test.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig } from "../relay-rig.ts";

let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const place = { tenant: "default", agent: "mooring" };

describe("given core processes that say how much waits", () => {
  it("when it is too much, then messages are refused aloud and commands are not, until it is less", async () => {
    const { bus } = rig.backbone;
    const clock = new ManualClock();
    const crowd = new Backpressure({ ...place, bus, clock, maxWaiting: 10 });
    await crowd.start();
    const inbox = createInbox({ ...rig.context, refuseIfCrowded: () => crowd.refuseIfCrowded() });
    const { intakeLoad } = subjectsOf("default");
    await inbox.accept(userMessage("m1", "hello"));
    bus.signal(intakeLoad("mooring"), { process: "a", waiting: 6 });
    bus.signal(intakeLoad("mooring"), { process: "b", waiting: 4 });
    await expect.poll(() => verdictOf(crowd)).toBe("rate-limited");
    await expect(inbox.accept(userMessage("m2", "hello"))).rejects.toMatchObject({ code: "rate-limited" });
    await inbox.accept(userMessage("m3", "/cancel", { command: { name: "cancel", args: "" } }));
    // A process that says nothing any more has nothing left, or is gone.
    clock.advance(6_000);
    await inbox.accept(userMessage("m4", "hello"));
    crowd.stop();
  });

  it("when a process has a queue, then it says how long it is, and stops when it is closed", async () => {
    const clock = new ManualClock();
    const heard: number[] = [];
    const subject = subjectsOf("default").userMessage("mooring").name;
    const queues = () => [{ subject, durable: "intake", waiting: 7, running: 1 }];
    const bus = { ...rig.backbone.bus, signal: (_: unknown, { waiting }: never) => void heard.push(waiting) };
    const telling = publishLoad(
      { backbone: { ...rig.backbone, queues, bus } as never, clock },
      { tenant: "default", name: "mooring" },
    );
    clock.advance(2_000);
    expect(heard).toEqual([7, 7]);
    await telling.close();
    clock.advance(9_000);
    expect(heard).toEqual([7, 7]);
  });
});

const verdictOf = (crowd: Backpressure): string => {
  try {
    crowd.refuseIfCrowded();
    return "taken";
  } catch (error) {
    return String(Object(error).code);
  }
};
