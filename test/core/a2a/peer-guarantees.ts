import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callbackMessage } from "../../../core/a2a/calls/callback-turn.ts";
import { peerRequestMessage } from "../../../core/a2a/local/peer-request.ts";
import { type PeerCall, readCall } from "../../../core/a2a/record/peer-call.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { LateA2ANotification } from "../../../core/contract/messages/subtask.ts";
import type { UserMessage } from "../../../core/contract/messages/user-message.ts";
import { ack } from "../../../core/contract/ports/bus.ts";
import { readOwner } from "../../../core/subtasks/owner/owner-record.ts";
import type { BackboneHarness, Deployment } from "../../contract/backbone-harness.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { AGENT } from "../core-under-test.ts";
import { PeerWorld } from "./peer-world.ts";

const agentRef = { tenant: "default", agent: AGENT };
const subjects = subjectsOf("default");

/** Guarantees of messages between agents under redeliveries and with any number of cores. */
export const peerGuarantees = (harness: BackboneHarness): void => {
  describe(`given agents that message each other on ${harness.name}`, () => {
    let deployment: Deployment;
    let world: PeerWorld;
    /** The record of the call when the remote agent got the message. */
    const recorded = new Recorder<PeerCall | undefined>();
    beforeAll(async () => {
      deployment = await harness.deploy();
      const backbones = [await deployment.open(), ...(harness.manyProcesses ? [await deployment.open()] : [])];
      world = await PeerWorld.start(backbones, async (work) => {
        recorded.add(await readCall(world.backbone.store, { ...agentRef, id: work.message.messageId }));
        work.answer(`all about ${work.text}`);
      });
    });
    afterAll(async () => {
      await world.stop();
      await deployment.dispose();
    });

    const callOf = async (sessionId: string | null): Promise<PeerCall> => {
      const { batches } = await readOwner(world.backbone.store, { ...agentRef, ownerId: sessionId ?? "" });
      const id = Object.values(batches).flatMap(({ calls = [] }) => calls)[0]?.id ?? "";
      const call = await readCall(world.backbone.store, { ...agentRef, id });
      if (call === undefined) throw new Error("the session has no call");
      return call;
    };

    it("when every message of a delegation is repeated, then the peer works once, and its result is reported once (A6)", async () => {
      const { sessionId } = await world.ask("delegate boats");
      expect((await world.untilReported("delegate boats"))[0]?.markdown).toBe("told: all about boats");
      const call = await callOf(sessionId);
      await world.publish(peerRequestMessage(call), "the request again");
      await world.publish(callbackMessage(call), "the callback again");
      await world.backbone.bus.publish(subjects.peerCall(AGENT), call, { id: "the call again", key: call.id });
      // Queued behind the repeated request in the peer's session.
      await world.ask("consult depths", "delegate boats");
      expect(await world.settled("delegate boats")).toHaveLength(1);
      expect(world.stepsAbout("boats")).toHaveLength(1);
      expect(await readCall(world.backbone.store, call)).toEqual(call);
    });

    it("when a remote agent gets a message, then the call was stored before, and ends once (L1)", async () => {
      const { sessionId } = await world.ask("remote ships");
      const [before] = await recorded.count(1);
      expect(before).toMatchObject({ state: "open", peer: "ships", remote: { looks: 1 } });
      const { id } = await callOf(sessionId);
      const hint = (n: number) =>
        world.backbone.bus.publish(subjects.peerEvent(AGENT), { ...agentRef, id }, { id: `hint ${n}`, key: id });
      await Promise.all([hint(1), hint(2)]);
      expect((await world.untilReported("remote ships"))[0]?.markdown).toBe("told: all about ships");
      await hint(3);
      expect(await world.settled("remote ships")).toHaveLength(1);
      expect(world.remote.received).toHaveLength(1);
    });

    it("when an answer arrives after its subtask has ended, then it is folded back and reported once (L1, L2, L5)", async () => {
      const notifications = new Recorder<LateA2ANotification>();
      const listening = await world.backbone.bus.consume(
        subjects.lateNotification(AGENT),
        { durable: "test-late", concurrency: 1 },
        async (late) => {
          notifications.add(late);
          return ack;
        },
      );
      const held = world.held("tides");
      const { sessionId } = await world.ask("subtask tides");
      await held.asked;
      await world.untilReported("subtask tides");
      held.give("high at noon");
      const [, late] = await world.untilReported("subtask tides", 2);
      expect(late).toMatchObject({
        markdown: "late: high at noon\n\n_From harbour._",
        origin: { channel: "web", promptSummary: "subtask tides" },
      });
      const [notification] = await notifications.count(1);
      expect(notification).toMatchObject({ primarySessionId: sessionId, kind: "result", subtaskName: "tides" });
      await world.backbone.bus.publish(subjects.lateNotification(AGENT), notification as LateA2ANotification, {
        id: "the notification again",
        key: sessionId ?? "",
      });
      await notifications.count(2);
      expect(await world.settled("subtask tides")).toHaveLength(2);
      await listening.close();
    });

    it.each([
      ["callback", "delegate", "told: seven boats"],
      ["late", "subtask", "late: seven boats\n\n_From harbour._"],
    ])(
      "when a %s turn is queued while a turn of its session runs, then it runs afterwards and sees that turn (A6, L3)",
      async (type, how, expected) => {
        const [topic, thought] = [`${type}-boats`, `${type}-lunch`];
        const room = `${how} ${topic}`;
        const queued = new Recorder<UserMessage>();
        const listening = await world.backbone.bus.consume(
          subjects.userMessage(AGENT),
          { durable: `test-${type}`, concurrency: 8 },
          async (message) => {
            if (message.kind !== "synthetic") return ack;
            if (message.conversation.room === room && message.synthetic.type === type) queued.add(message);
            return ack;
          },
        );
        const [peer, running] = [world.held(topic), world.held(thought)];
        await world.ask(room);
        await peer.asked;
        // A subtask that asks is ended by the ceiling of its batch first.
        const before = how === "subtask" ? (await world.untilReported(room)).length : 0;
        const answered = world.ask(`think ${thought}`, room);
        await running.asked;
        peer.give("seven boats");
        await queued.count(1);
        await world.ask(`consult ${type}-elsewhere`);
        expect(world.reported(room)).toHaveLength(before);
        running.give("fish");
        await answered;
        const reply = (await world.untilReported(room, before + 1)).at(-1);
        expect(reply?.markdown).toBe(expected);
        expect(JSON.stringify(world.model.requests.items.at(-1)?.messages)).toContain(`think ${thought}`);
        const replies = world.replies.items.filter(({ audience }) => audience.conversation.room === room);
        expect(replies.findIndex(({ markdown }) => markdown === "fish")).toBeLessThan(
          replies.findIndex(({ markdown }) => markdown === expected),
        );
        await listening.close();
      },
    );

    it("when a peer is consulted, then it has two tool rounds, and nothing is posted to people (A5)", async () => {
      expect((await world.ask("consult busy")).markdown).toContain("that is all");
      expect(world.stepsAbout("busy").map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "none"]);
      expect(await world.settled("consult busy")).toEqual([]);
    });

    it("when work is delegated to a peer, then it has its agent's own tool rounds (A5)", async () => {
      const before = world.stepsAbout("busy").length;
      await world.ask("delegate busy");
      expect((await world.untilReported("delegate busy"))[0]?.markdown).toBe("told: that is all");
      const steps = world.stepsAbout("busy").slice(before);
      expect(steps.map(({ toolChoice }) => toolChoice)).toEqual([...Array.from({ length: 8 }, () => "auto"), "none"]);
    });

    it("when two agents send a message back and forth, then the fourth is refused, on any process (A4)", async () => {
      await world.ask("notify pingpong");
      await world.peer.requests.until(() => world.stepsAbout("pingpong").length === 4);
      const last = world.stepsAbout("pingpong").at(-1)?.messages.at(-1);
      expect(last?.role === "tool" && last.results[0]?.output).toContain(
        "reached the limit of messages about this work",
      );
      expect(await world.settled("notify pingpong")).toEqual([]);
    });
  });
};
