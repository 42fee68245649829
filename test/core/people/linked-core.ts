import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Account } from "../../../core/contract/messages/user-message.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import type { CoreUnderTest } from "../core-under-test.ts";

/** An account on a channel, by default in its private conversation. */
export class At {
  readonly #core: CoreUnderTest;
  readonly #name: string;
  readonly #profile: Partial<Account>;
  readonly conversation: Conversation;
  static #count = 0;

  constructor(
    core: CoreUnderTest,
    channel: string,
    name: string,
    kind: Conversation["kind"] = "private",
    profile: Partial<Account> = {},
  ) {
    this.#profile = profile;
    this.#core = core;
    this.#name = name;
    this.conversation = { channel, room: kind === "private" ? `dm-${name}` : "harbour", kind };
  }

  say(text: string, rest: MessageFields = {}): Promise<AgentReply> {
    const account = { id: this.#name, name: this.#name, ...this.#profile };
    return this.#core.ask(`m-${At.#count++}`, text, { conversation: this.conversation, account, ...rest });
  }

  async command(name: string, args = ""): Promise<string> {
    return (await this.say(`/${name} ${args}`, { command: { name, args } })).markdown;
  }

  /** The unsolicited replies in this conversation. */
  async unsolicited(): Promise<AgentReply[]> {
    return this.#core.replies.items.filter(
      ({ audience, correlationId }) =>
        correlationId === undefined && audience.conversation.room === this.conversation.room,
    );
  }

  async code(): Promise<string> {
    return /`([0-9A-Z]{5}-[0-9A-Z]{5})`/.exec(await this.command("link"))?.[1] ?? "none";
  }
}

export const linkIdIn = (markdown: string): string => /link confirm ([0-9a-f]+)/.exec(markdown)?.[1] ?? "none";

/** Links two accounts; both sides confirm. */
export const linkUp = async (one: At, other: At): Promise<void> => {
  const linkId = linkIdIn(await other.command("link", await one.code()));
  await other.command("link", `confirm ${linkId}`);
  await one.command("link", `confirm ${linkId}`);
};
