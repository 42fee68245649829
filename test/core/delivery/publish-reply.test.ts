import { describe, expect, expectTypeOf, it } from "vitest";
import { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { ReplyOrigin } from "../../../core/contract/messages/work-context.ts";
import type { Bus } from "../../../core/contract/ports/bus.ts";
import {
  notifyAccount,
  publishReply,
  type ReplyDraft,
  type SolicitedReply,
} from "../../../core/delivery/publish-reply.ts";
import type { TurnRecord } from "../../../core/turns/record/index.ts";

const origin: ReplyOrigin = {
  channel: "web",
  promptSummary: "hello",
  startedAt: "2026-03-10T21:14:00.000Z",
  sessionId: "s-1",
};
const draft = {
  id: "t-1/final",
  tenant: "default",
  agent: "mooring",
  sessionId: "s-1",
  markdown: "hi",
  audience: { conversation: { channel: "web", room: "r", kind: "private" as const }, personId: "p-1" },
  createdAt: "2026-03-10T21:14:01.000Z",
  traceId: "trace-1",
};
type Draft = typeof draft;

describe("given the types of a reply (O6)", () => {
  it("when it is unsolicited, then it does not compile without an origin", () => {
    expectTypeOf<Draft & { kind: "final"; origin: ReplyOrigin }>().toExtend<ReplyDraft>();
    expectTypeOf<Draft & { kind: "final" }>().not.toExtend<ReplyDraft>();
    expectTypeOf<Draft & { kind: "final"; origin: null }>().not.toExtend<ReplyDraft>();
    expectTypeOf<Draft & { kind: "progress"; origin: ReplyOrigin | null }>().not.toExtend<ReplyDraft>();
  });

  it("when it is solicited, then it has an origin too, and a notice never has one (O1, O7)", () => {
    expectTypeOf<Draft & { kind: "final"; correlationId: string; origin: null }>().not.toExtend<ReplyDraft>();
    expectTypeOf<Draft & { kind: "notice"; origin: null }>().toExtend<ReplyDraft>();
    expectTypeOf<Draft & { kind: "notice"; correlationId: string; origin: null }>().toExtend<ReplyDraft>();
    expectTypeOf<Draft & { kind: "notice"; origin: ReplyOrigin }>().not.toExtend<ReplyDraft>();
  });
});

describe("given a reply to publish", () => {
  it("when it is published, then every relay can read it, in the order of its conversation (D1)", async () => {
    const published: unknown[] = [];
    const publish: Bus["publish"] = async (subject, message, options) => {
      published.push({ family: subject.family, parts: subject.parts, message: subject.schema.parse(message), options });
      return "stored";
    };
    const reply: SolicitedReply = { ...draft, kind: "final", correlationId: "m-1", origin };
    await publishReply({ publish } as Bus, reply);
    expect(published).toEqual([
      {
        family: "user.response",
        parts: ["mooring"],
        message: AgentReply.parse(reply),
        options: { id: "t-1/final", key: "+web/-/+r/-" },
      },
    ]);
  });
});

describe("given a command that affects another account", () => {
  const record = { turnId: "t-1", openedAt: draft.createdAt, traceId: "trace-1" } as TurnRecord;
  const recipient = { agent: "mooring", accountId: "ann", conversation: draft.audience.conversation };
  const notified = async (more: object = {}) => {
    const published: unknown[] = [];
    const publish: Bus["publish"] = async (_, message) => {
      published.push(message);
      return "stored";
    };
    const about = { tenant: "default", record, about: "linked", markdown: "linked", ...more };
    await notifyAccount({ publish } as Bus, recipient, about);
    return published;
  };

  it("then only that account gets a notice, with the same id each time", async () => {
    const notice = {
      id: "t-1/linked/+web/-/+r/-",
      tenant: "default",
      agent: "mooring",
      sessionId: null,
      kind: "notice",
      markdown: "linked",
      origin: null,
      audience: { conversation: recipient.conversation, personId: null, accountId: "ann" },
      createdAt: draft.createdAt,
      traceId: "trace-1",
    };
    expect(await notified()).toStrictEqual([notice]);
    const actions = [{ name: "unlink", label: "Unlink" }];
    expect(await notified({ actions })).toStrictEqual([{ ...notice, actions }]);
  });
});
