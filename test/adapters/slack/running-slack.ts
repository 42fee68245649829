import { afterEach } from "vitest";
import type { SlackAdapter } from "../../../adapters/slack/adapter.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import type { SlackAnswer } from "../../fakes/slack/fake-slack.ts";
import { FakeSlack } from "../../fakes/slack/fake-slack.ts";
import { TestInbox } from "../../fakes/test-inbox.ts";
import { WebhookHost } from "../../fakes/webhook-host.ts";
import type { AdapterOptions, SlackMode } from "./make-slack-adapter.ts";
import { slackAdapter } from "./make-slack-adapter.ts";

export interface RunningSlack {
  readonly slack: FakeSlack;
  readonly adapter: SlackAdapter;
  readonly inbox: TestInbox;
  readonly logger: RecordingLogger;
  /** The message that the inbox accepts after this action of a person. */
  accepted(action: Promise<SlackAnswer>): Promise<InboundMessage>;
}

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A local Slack and an adapter, both stopped after the test. `prepare` runs before the adapter starts. */
export const runSlack = async (
  mode: SlackMode,
  options: AdapterOptions & { prepare?: (slack: FakeSlack) => void; start?: boolean } = {},
): Promise<RunningSlack> => {
  const { prepare, start = true, ...given } = options;
  const slack = await FakeSlack.start();
  open.push(() => slack.stop());
  const host = await new WebhookHost().open();
  open.push(() => host.close());
  prepare?.(slack);
  const logger = new RecordingLogger();
  const adapter = slackAdapter(slack, mode, { logger, ...given });
  open.push(() => adapter.stop());
  host.mount(adapter);
  if (mode === "http") slack.sendEventsTo(host.urlOf(adapter.channel, "events"));
  const inbox = new TestInbox();
  if (start) await adapter.start(inbox);
  const accepted = async (action: Promise<SlackAnswer>): Promise<InboundMessage> => {
    const before = inbox.accepted.items.length;
    await action;
    return (await inbox.accepted.count(before + 1))[before] as InboundMessage;
  };
  return { slack, adapter, inbox, logger, accepted };
};
