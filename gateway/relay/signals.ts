import type { TypingAdapter } from "../../adapters/contract/abilities.ts";
import { isSignalAdapter, isTypingAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Listener } from "../../core/contract/bus.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import { conversationKey } from "../../core/contract/conversation.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import type { RelayContext } from "./relay-context.ts";

/** Platforms show "is typing" for 5 to 10 s, and count every call (D8). */
export const TYPING_PAUSE_MS = 5_000;

/** Hands the agent's signals to a channel that can show them. Nothing here may fail loudly: a signal is a hint. */
export const startSignals = async (context: RelayContext, adapter: ChannelAdapter): Promise<Listener> => {
  const { bus, tenant, agent, logger } = context;
  const { channel } = adapter;
  const hears = isSignalAdapter(adapter) ? adapter : undefined;
  const showTyping = isTypingAdapter(adapter) ? typingOf(context, adapter) : undefined;
  if (!hears && !showTyping) return { close() {} };
  return bus.listen(subjectsOf(tenant).userSignal(agent), (signal) => {
    if (signal.conversation.channel !== channel) return;
    try {
      hears?.hear(signal);
    } catch (error) {
      logger.error({ channel, signal: signal.type, error: messageOf(error) }, "adapter bug: hear threw");
    }
    if (signal.type === "typing") showTyping?.(signal.conversation);
  });
};

const typingOf = ({ clock, logger }: RelayContext, adapter: TypingAdapter) => {
  const shownLately = new Set<string>();
  return (conversation: Conversation): void => {
    const key = conversationKey(conversation);
    if (shownLately.has(key)) return;
    shownLately.add(key);
    clock.after(TYPING_PAUSE_MS, () => shownLately.delete(key));
    (async () => adapter.showTyping(conversation))().catch((error: unknown) =>
      logger.debug({ channel: adapter.channel, error: messageOf(error) }, "typing was not shown"),
    );
  };
};
