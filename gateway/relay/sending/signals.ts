import type { TypingAdapter } from "../../../adapters/contract/abilities.ts";
import { isSignalAdapter, isTypingAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { escapeAnchorSigns } from "../../../adapters/contract/markdown/escape-anchors.ts";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Listener } from "../../../core/contract/ports/bus.ts";
import type { Timer } from "../../../core/contract/ports/clock.ts";
import type { RelayContext } from "../context.ts";
import type { Streams } from "./streams.ts";
import type { WorkMarks } from "./work-marks.ts";

/** Platforms count every call (D8). Shorter than the 4.5 s after which core signals it again, so that none of those is dropped. */
const TYPING_PAUSE_MS = 4_000;

/** Passes the agent's signals to a channel that can show them. A signal is a hint, so failures are only logged. */
export const startSignals = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  streams?: Streams,
  workMarks?: WorkMarks,
): Promise<Listener> => {
  const { bus, tenant, agent, logger } = context;
  const { channel } = adapter;
  const signalAdapter = isSignalAdapter(adapter) ? adapter : undefined;
  const typing = isTypingAdapter(adapter) ? new Typing(context, adapter) : undefined;
  if (!signalAdapter && !typing && !streams && !workMarks) return { close() {} };
  const listener = await bus.listen(subjectsOf(tenant).userSignal(agent), (signal) => {
    if (signal.conversation.channel !== channel) return;
    try {
      signalAdapter?.onSignal(signal.type === "delta" ? { ...signal, text: escapeAnchorSigns(signal.text) } : signal);
    } catch (error) {
      logger.error({ channel, signal: signal.type, error: messageOf(error) }, "adapter bug: onSignal threw");
    }
    if (signal.type === "typing") {
      typing?.show(signal.conversation);
      if (signal.answers !== undefined) workMarks?.onWork(signal.conversation, signal.answers);
    } else if (signal.type === "delta") streams?.onDelta(signal);
  });
  return {
    close() {
      listener.close();
      typing?.close();
    },
  };
};

class Typing {
  readonly #context: RelayContext;
  readonly #adapter: TypingAdapter;
  readonly #shownLately = new Map<string, Timer>();

  constructor(context: RelayContext, adapter: TypingAdapter) {
    this.#context = context;
    this.#adapter = adapter;
  }

  show(conversation: Conversation): void {
    const { clock, logger } = this.#context;
    const key = conversationKey(conversation);
    if (this.#shownLately.has(key)) return;
    this.#shownLately.set(
      key,
      clock.after(TYPING_PAUSE_MS, () => this.#shownLately.delete(key)),
    );
    (async () => this.#adapter.showTyping(conversation))().catch((error: unknown) =>
      logger.debug({ channel: this.#adapter.channel, error: messageOf(error) }, "could not show typing indicator"),
    );
  }

  close(): void {
    for (const timer of this.#shownLately.values()) timer.cancel();
  }
}
