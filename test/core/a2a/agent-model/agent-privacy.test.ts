import type { Message } from "@a2a-js/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { PERSON_EXTENSION } from "../../../../core/a2a/agent-model/turn-message.ts";
import { REPLY_ORIGIN_EXTENSION } from "../../../../core/a2a/record/hops.ts";
import { conversationKey } from "../../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import { SdkAgent, type Work } from "../../../fakes/a2a/sdk-agent.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { userMessage } from "../../core-under-test.ts";
import { answeredBy, type HostedPair, startHosted, stopHosted } from "./agent-under-test.ts";

let pair: HostedPair;
const others: SdkAgent[] = [];
afterEach(async () => {
  await stopHosted(pair);
  await Promise.all(others.splice(0).map((agent) => agent.stop()));
});
const start = async (...args: Parameters<typeof startHosted>): Promise<HostedPair> => {
  pair = await startHosted(...args);
  return pair;
};

const echo = (work: Work) => work.answer(`You said: ${work.text}`);
const conversation = { channel: "slack-acme", room: "quay-team", kind: "shared" as const };
const ann = { conversation, account: { id: "account-ann", name: "Ann Smith" } };
const bob = { conversation, account: { id: "account-bob", name: "Bob Jones" } };

const metadataOf = (message: Message | undefined, extension: string) =>
  message?.metadata?.[extension] as Readonly<Record<string, unknown>> | undefined;
const personOf = (message: Message | undefined) => metadataOf(message, PERSON_EXTENSION)?.id;

describe("given an agent elsewhere that is not trusted", () => {
  it("when people write in a room, then it gets their words and pseudonyms alone (R7)", async () => {
    const { core, agent } = await start(echo);
    await core.ask("m-1", "hello", ann);
    await core.ask("m-2", "good day", bob);
    await core.ask("m-3", "again", ann);
    const sent = JSON.stringify([agent.received, agent.headers]);
    for (const secret of ["Ann", "Bob", "account-", "slack-acme", "quay-team", "trace-m", "m-1", "traceparent"]) {
      expect(sent).not.toContain(secret);
    }
    const [first, second, third] = agent.received;
    expect(first?.parts[0]?.content?.value).toBe("hello");
    expect(personOf(first)).toMatch(/^[\w-]{43}$/);
    expect(personOf(second)).not.toBe(personOf(first));
    expect(personOf(third)).toBe(personOf(first));
    expect(second?.contextId).toBe(first?.contextId);
  });

  it("when one person writes to two of them, then the two cannot match their pseudonyms (R7)", async () => {
    const received = new Recorder<Message>();
    const other = await SdkAgent.start((work) => {
      received.add(work.message);
      work.answer("hello");
    });
    others.push(other);
    const { core, agent } = await start(echo, {
      others: [{ name: "second", tenant: "default", model: answeredBy(other.url) }],
    });
    await core.ask("m-1", "hello", ann);
    await core.backbone.bus.publish(
      subjectsOf("default").userMessage("second"),
      userMessage("m-2", "hello", { ...ann, agent: "second" }),
      { id: "m-2", key: conversationKey(conversation) },
    );
    const [elsewhere] = await received.until((all) => all.length === 1);
    expect(personOf(elsewhere)).toMatch(/^[\w-]{43}$/);
    expect(personOf(elsewhere)).not.toBe(personOf(agent.received[0]));
  });

  it("when it is trusted, then it gets the name and where the work began", async () => {
    const { core, agent } = await start(echo, { endpoint: { trusted: true } });
    await core.ask("m-1", "hello", ann);
    const [message] = agent.received;
    expect(message?.parts[0]?.content?.value).toBe("Ann Smith: hello");
    expect(metadataOf(message, PERSON_EXTENSION)).toMatchObject({ name: "Ann Smith" });
    expect(metadataOf(message, REPLY_ORIGIN_EXTENSION)).toMatchObject({
      origin: { channel: "slack-acme", promptSummary: "hello" },
    });
  });
});

describe("given an agent elsewhere that may pass work on", () => {
  it("when a person writes, then the message counts as one hop between the two agents (A4)", async () => {
    const { core, agent } = await start(echo);
    await core.ask("m-1", "hello");
    const extension = metadataOf(agent.received[0], REPLY_ORIGIN_EXTENSION);
    expect(extension?.to).toBe(agent.url);
    expect(Object.values(extension?.hops ?? {})).toEqual([1]);
  });

  it("when its address is our own, then nothing is sent, and the person gets a clear text (A3)", async () => {
    const agent = await SdkAgent.start(echo);
    others.push(agent);
    const { core } = await start(echo, {
      agent: { model: answeredBy(`${agent.url}/a2a/mooring`) },
      remote: { peers: [], publicUrl: agent.url },
    });
    expect(await core.ask("m-1", "hello")).toMatchObject({
      outcome: "failed",
      markdown: expect.stringContaining("in a circle"),
    });
    expect(agent.received).toEqual([]);
  });
});
