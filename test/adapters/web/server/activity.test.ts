import { describe, expect, it } from "vitest";
import type { Activity, AgentReply } from "../../../../core/contract/messages/agent-reply.ts";
import { makeDelivery } from "../make-delivery.ts";
import { runningGateways } from "../running-gateways.ts";
import { enter } from "../web-client.ts";
import type { WebGateway } from "../web-gateway.ts";

const start = runningGateways();
const activity = (revision: number): Activity => ({
  id: "t1/activity",
  revision,
  title: "Research",
  items: [{ id: "subtask-1", name: "tides", state: "running", note: `note ${revision}` }],
});
const stateOf = (revision: number): Partial<AgentReply> => ({
  kind: "progress",
  markdown: `state ${revision}`,
  data: { activity: activity(revision) },
});
/** Delivers as the relay does: the first state under the entry's id, the others as edits. */
const post = (gateway: WebGateway, visitor: string, revision = 1) =>
  gateway.adapter.deliver(makeDelivery(visitor, "t1/activity", { reply: stateOf(revision) }));
const edit = (gateway: WebGateway, visitor: string, revision: number) =>
  gateway.adapter.edit("t1/activity", makeDelivery(visitor, `t1/activity/${revision}`, { reply: stateOf(revision) }));

describe("given delegated work that a visitor watches (B1)", () => {
  it("when its state changes, then every tab gets one reply and then edits of it, without a gap", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    await post(gateway, welcome.conversation);
    await edit(gateway, welcome.conversation, 2);
    await edit(gateway, welcome.conversation, 3);
    await client.next("edit", ({ seq }) => seq === 3);
    expect(client.logged()).toMatchObject([
      { type: "reply", seq: 1, id: "t1/activity", kind: "progress", activity: activity(1) },
      { type: "edit", seq: 2, id: "t1/activity", activity: activity(2) },
      { type: "edit", seq: 3, id: "t1/activity", activity: activity(3) },
    ]);
  });

  it("when a state is appended twice, by this gateway or another, then the log has it once", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    await post(gateway, welcome.conversation);
    await edit(gateway, welcome.conversation, 2);
    await edit(gateway, welcome.conversation, 2);
    await edit(gateway, welcome.conversation, 3);
    await client.next("edit", ({ activity }) => activity?.revision === 3);
    expect(client.logged().map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it("when a client resumes in between, then it gets the later states in order", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    await post(gateway, welcome.conversation);
    await client.next("reply");
    client.socket.terminate();
    for (const revision of [2, 3]) await edit(gateway, welcome.conversation, revision);
    const back = await enter(gateway, { token: welcome.token, resumeFrom: 1 });
    await back.client.next("edit", ({ seq }) => seq === 3);
    expect(back.client.logged()).toMatchObject([
      { type: "edit", seq: 2, activity: activity(2) },
      { type: "edit", seq: 3, activity: activity(3) },
    ]);
  });
});

describe("given the history of a conversation with delegated work", () => {
  const pageOf = async (revisions: readonly number[], before: number, limit: number) => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    const visitor = welcome.conversation;
    await gateway.adapter.deliver(makeDelivery(visitor, "r1"));
    await post(gateway, visitor, revisions[0]);
    await gateway.adapter.deliver(makeDelivery(visitor, "r2"));
    for (const revision of revisions.slice(1)) await edit(gateway, visitor, revision);
    await gateway.adapter.deliver(makeDelivery(visitor, "r3"));
    client.send({ type: "history", before, limit });
    return client.next("history");
  };

  it("when a page contains all states, then the entry appears once, in its position, with the latest state", async () => {
    const { items, before } = await pageOf([1, 2, 3, 4], 100, 4);
    expect(items).toMatchObject([
      { type: "reply", seq: 1, id: "r1" },
      { type: "reply", seq: 2, id: "t1/activity", markdown: "state 4", activity: activity(4) },
      { type: "reply", seq: 3, id: "r2" },
      { type: "reply", seq: 7, id: "r3" },
    ]);
    expect(before).toBeNull();
  });

  it("when the first state is on an older page, then the latest state appears as an edit", async () => {
    const { items, before } = await pageOf([1, 2, 3, 4], 100, 3);
    expect(items).toMatchObject([
      { type: "reply", seq: 3, id: "r2" },
      { type: "edit", seq: 6, id: "t1/activity", activity: activity(4) },
      { type: "reply", seq: 7, id: "r3" },
    ]);
    expect(before).toBe(3);
  });

  it("when an older state was appended late, then the newer one is shown", async () => {
    const { items } = await pageOf([1, 4, 3], 100, 10);
    expect(items[1]).toMatchObject({ seq: 2, activity: activity(4) });
  });

  it("when there are hundreds of states, then a page still has other entries", async () => {
    const revisions = Array.from({ length: 300 }, (_, index) => index + 1);
    const { items } = await pageOf(revisions, 10_000, 50);
    expect(items.map(({ seq }) => seq)).toEqual([1, 2, 3, 303]);
    expect(items[1]).toMatchObject({ activity: activity(300) });
  });
});
