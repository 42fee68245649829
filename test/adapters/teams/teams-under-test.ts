import { afterEach, beforeEach } from "vitest";
import type { AdapterContext } from "../../../adapters/contract/adapter-context.ts";
import type { TeamsAdapter } from "../../../adapters/teams/adapter.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import type { Said } from "../../fakes/teams/sent-activity.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";
import { MemoryStore } from "../web/memory-store.ts";
import { makeTeamsAdapter } from "./make-teams-adapter.ts";

/** A local Teams and a started adapter, new for each test. */
export class TeamsUnderTest {
  teams!: FakeTeams;
  host!: WebhookHost;
  inbox!: TestInbox;
  store!: MemoryStore;
  adapter!: TeamsAdapter;

  constructor() {
    beforeEach(async () => {
      this.teams = await FakeTeams.start();
      this.host = await new WebhookHost().open();
      this.teams.endpoint = this.host.urlOf("teams", "messages");
      this.inbox = new TestInbox();
      this.store = new MemoryStore(systemClock);
      await this.start();
    });
    afterEach(async () => {
      await this.adapter.stop();
      await this.host.close();
      await this.teams.stop();
    });
  }

  /** Another adapter on the same platform and store, as after a restart. */
  async start(config: Readonly<Record<string, unknown>> = {}, context: Partial<AdapterContext> = {}): Promise<void> {
    await this.adapter?.stop();
    this.adapter = makeTeamsAdapter(this.teams, { store: this.store, ...context }, config);
    await this.adapter.start(this.inbox);
    this.host.mount(this.adapter);
  }

  /** The inbox message for a person's message. */
  async received(said: Said): Promise<InboundMessage> {
    const before = this.inbox.accepted.items.length;
    await this.teams.say(said);
    return (await this.inbox.accepted.count(before + 1))[before] as InboundMessage;
  }

  async conversation(said: Said = {}): Promise<Conversation> {
    return (await this.received({ text: "hello", ...said })).conversation;
  }
}
