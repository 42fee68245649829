import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ChatClient } from "../client/chat-client.ts";
import { AnonymousIdentity } from "../client/chat-identity.ts";
import type { ChatListener, ChatStatus } from "../client/chat-listener.ts";
import type { ChatTransport } from "../client/chat-transport.ts";
import { OutgoingQueue } from "../client/outgoing-queue.ts";
import { KeptValues, type KeyValueStorage } from "../client/persistent-values.ts";
import type { ErrorCode, ServerFrame } from "../protocol.ts";
import type { TerminalScreen } from "./terminal-screen.ts";
import { TerminalView } from "./terminal-view.ts";

export interface TerminalChatOptions {
  readonly transport: ChatTransport;
  readonly storage: KeyValueStorage;
  readonly input: Readable;
  readonly screen: TerminalScreen;
  readonly newId: () => string;
  /** Once nothing more is said: how long answers are waited for. */
  readonly waitMs: number;
  /** As somebody new, in a conversation of their own. */
  readonly anew: boolean;
}

const SHOWN_BEFORE = 10;

/** A conversation at a terminal, or by a script: one line is one message, `/name …` is a command. */
export class TerminalChat implements ChatListener {
  readonly #options: TerminalChatOptions;
  readonly #view: TerminalView;
  readonly #queue: OutgoingQueue;
  readonly #client: ChatClient;
  /** Said here, and not answered yet. */
  readonly #open = new Set<string>();
  readonly #own = new Set<string>();
  #isOver = false;
  #wasAway = false;
  #isStorable = true;
  #refusal: string | undefined;
  #finish: () => void = () => undefined;

  constructor(options: TerminalChatOptions) {
    this.#options = options;
    const kept = new KeptValues(() => options.storage, "");
    const identity = new AnonymousIdentity(kept);
    if (options.anew) identity.forget();
    this.#view = new TerminalView(options.screen);
    this.#queue = new OutgoingQueue(kept);
    const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
    this.#client = new ChatClient(identity, {
      transport: options.transport,
      queue: this.#queue,
      listener: this,
      about: () => ({ timeZone, locale }),
    });
  }

  /** Resolves when it is over: to nothing if all was answered, else to what went wrong. */
  async run(): Promise<string | undefined> {
    const { input, screen, waitMs } = this.#options;
    const over = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    const lines = createInterface({ input, ...(screen.isLive && { output: screen.stream, prompt: "> " }) });
    screen.prompts(() => lines.prompt(true));
    let timer: ReturnType<typeof setTimeout> | undefined;
    lines.on("line", (line) => this.#say(line.trim(), () => lines.close()));
    lines.on("close", () => {
      this.#isOver = true;
      if (screen.isLive) this.#finish();
      else timer = setTimeout(() => this.#finish(), waitMs);
      this.#finishIfDone();
    });
    this.#client.open();
    await over;
    clearTimeout(timer);
    lines.close();
    this.#client.close();
    if (this.#refusal !== undefined) return this.#refusal;
    return screen.isLive || this.#open.size === 0 ? undefined : `${this.#open.size} without an answer in time`;
  }

  frame(frame: ServerFrame): void {
    if (frame.type === "welcome") this.#view.welcomed(frame.agent);
    else if (frame.type === "said" && !this.#own.has(frame.id)) this.#view.said(frame);
    else if (frame.type === "reply") this.#reply(frame);
    else if (frame.type === "edit" && frame.kind === "completion") this.#view.reply(frame);
    else if (frame.type === "delta") this.#view.delta(frame);
    else if (frame.type === "storage") this.#storage(frame.available);
    else if (frame.type === "history") this.#before(frame);
  }

  statusChanged(status: ChatStatus, reason?: ErrorCode): void {
    if (status === "away" && !this.#wasAway) this.#view.note("The gateway does not answer. Trying again …");
    if (status === "open" && this.#wasAway) this.#view.note("Back.");
    if (status === "away" || status === "open") this.#wasAway = status === "away";
    if (status !== "open") this.#isStorable = true;
    if (status !== "refused") return;
    this.#refusal = `the gateway refuses this conversation (${reason ?? "refused"}): --new begins another`;
    this.#finish();
  }

  #storage(isAvailable: boolean): void {
    if (this.#isStorable === isAvailable) return;
    this.#isStorable = isAvailable;
    this.#view.note(
      isAvailable ? "Messages are sent again." : "Messages cannot be stored right now. Yours wait to be sent.",
    );
  }

  queueChanged(): void {
    for (const { frame, failure } of this.#queue.all) {
      if (failure === undefined) continue;
      this.#view.note(`Not sent: ${failure}.`);
      this.#queue.remove(frame.id);
      this.#answered(frame.id);
    }
  }

  cleared(): void {}

  #say(line: string, quit: () => void): void {
    if (line === "/quit") quit();
    if (line === "/quit" || line === "") return;
    const id = this.#options.newId();
    const [, name, args = ""] = /^\/([a-z][a-z0-9-]*)\s*(.*)$/.exec(line) ?? [];
    this.#own.add(id);
    this.#open.add(id);
    this.#client.submit({
      frame: name === undefined ? { type: "message", id, text: line } : { type: "command", id, name, args },
    });
  }

  #reply(frame: Extract<ServerFrame, { type: "reply" }>): void {
    this.#view.reply(frame);
    if (frame.correlationId !== undefined) this.#answered(frame.correlationId);
  }

  #answered(id: string): void {
    this.#open.delete(id);
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    if (this.#isOver && this.#open.size === 0) this.#finish();
  }

  /** Enough to know where one was; a script is not interested. */
  #before({ items }: Extract<ServerFrame, { type: "history" }>): void {
    if (!this.#options.screen.isLive) return;
    for (const item of items.slice(-SHOWN_BEFORE)) {
      if (item.type === "said") this.#view.said(item);
      else if (item.type === "reply") this.#view.reply(item);
    }
  }
}
