import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { publishLoad } from "../../../../core/intake/publish-load.ts";
import { Backpressure, createInbox } from "../../../../gateway/relay/inbox.ts";
import { userMessage } from "../../../core/core-under-test.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";
import type { RelayRig } from "../relay-rig.ts";
import { openRelayRig } from "../relay-rig.ts";

let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const agentRef = { tenant: "default", agent: "mooring" };

describe("given core processes that publish their load", () => {
  it("when it exceeds the limit, then messages are refused with an error and commands are not, until it drops", async () => {
    const { bus } = rig.backbone;
    const clock = new ManualClock();
    const crowd = new Backpressure({ ...agentRef, bus, clock, maxWaiting: 10 });
    await crowd.start();
    const inbox = createInbox({ ...rig.context, refuseIfOverloaded: () => crowd.refuseIfOverloaded() });
    const { intakeLoad } = subjectsOf("default");
    await inbox.accept(userMessage("m1", "hello"));
    bus.signal(intakeLoad("mooring"), { process: "a", waiting: 6 });
    bus.signal(intakeLoad("mooring"), { process: "b", waiting: 4 });
    await expect.poll(() => verdictOf(crowd)).toBe("rate-limited");
    await expect(inbox.accept(userMessage("m2", "hello"))).rejects.toMatchObject({ code: "rate-limited" });
    await inbox.accept(userMessage("m3", "/cancel", { command: { name: "cancel", args: "" } }));
    // A process without reports has an empty queue or has stopped.
    clock.advance(6_000);
    await inbox.accept(userMessage("m4", "hello"));
    crowd.stop();
  });

  it("when a process has a queue, then it publishes its length until it is closed", async () => {
    const clock = new ManualClock();
    const reported: number[] = [];
    const subject = subjectsOf("default").userMessage("mooring").name;
    const queues = () => [{ subject, durable: "intake", waiting: 7, running: 1 }];
    const bus = { ...rig.backbone.bus, signal: (_: unknown, { waiting }: never) => void reported.push(waiting) };
    const publishing = publishLoad(
      { backbone: { ...rig.backbone, queues, bus } as never, clock },
      { tenant: "default", name: "mooring" },
    );
    clock.advance(2_000);
    expect(reported).toEqual([7, 7]);
    await publishing.close();
    clock.advance(9_000);
    expect(reported).toEqual([7, 7]);
  });
});

const verdictOf = (crowd: Backpressure): string => {
  try {
    crowd.refuseIfOverloaded();
    return "taken";
  } catch (error) {
    return String(Object(error).code);
  }
};
