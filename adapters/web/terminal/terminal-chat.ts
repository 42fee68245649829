import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ChatClient } from "../client/chat-client.ts";
import { AnonymousIdentity, type ChatIdentity } from "../client/chat-identity.ts";
import type { ChatListener, ChatStatus } from "../client/chat-listener.ts";
import type { ChatTransport } from "../client/chat-transport.ts";
import { OutgoingQueue } from "../client/outgoing-queue.ts";
import { type KeyValueStorage, PersistentValues } from "../client/persistent-values.ts";
import type { ErrorCode, ServerFrame } from "../protocol.ts";
import type { TerminalScreen } from "./terminal-screen.ts";
import { TerminalView } from "./terminal-view.ts";

export interface TerminalChatOptions {
  readonly transport: ChatTransport;
  readonly storage: KeyValueStorage;
  readonly input: Readable;
  readonly screen: TerminalScreen;
  readonly newId: () => string;
  /** How long to wait for answers after the end of the input. */
  readonly waitMs: number;
  /** Starts a new conversation as a new visitor. */
  readonly startNew: boolean;
  /** A new proof that the owner of a personal deployment writes; absent: a visitor of the channel. */
  readonly ownerProof?: (() => string) | undefined;
}

const MAX_SHOWN_HISTORY = 10;

/** Each connection proves the owner secret again; nothing is stored. */
const ownerIdentity = (proof: () => string): ChatIdentity => ({
  token: async () => proof(),
  welcomed: () => true,
  refused: () => "ask",
  forget: () => undefined,
});

const refusalText = (reason: ErrorCode = "refused"): string =>
  reason === "token-not-owner"
    ? "this assistant serves its owner only: if that is you, run mooring chat on the gateway's machine, as the user that " +
      "can read the file owner-secret in dataDir"
    : `the gateway refuses this conversation (${reason}): use --new to start another`;

/** A conversation in a terminal or by a script: each line is a message, `/name …` is a command. */
export class TerminalChat implements ChatListener {
  readonly #options: TerminalChatOptions;
  readonly #view: TerminalView;
  readonly #queue: OutgoingQueue;
  readonly #client: ChatClient;
  /** Ids of own messages without an answer. */
  readonly #unanswered = new Set<string>();
  readonly #ownIds = new Set<string>();
  #hasInputEnded = false;
  #wasAway = false;
  #isStorable = true;
  #problem: string | undefined;
  #finish: () => void = () => undefined;

  constructor(options: TerminalChatOptions) {
    this.#options = options;
    const values = new PersistentValues(() => options.storage, "");
    const identity = options.ownerProof ? ownerIdentity(options.ownerProof) : new AnonymousIdentity(values);
    if (options.startNew) identity.forget();
    this.#view = new TerminalView(options.screen);
    this.#queue = new OutgoingQueue(values);
    const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
    this.#client = new ChatClient(identity, {
      transport: options.transport,
      queue: this.#queue,
      listener: this,
      about: () => ({ timeZone, locale }),
    });
  }

  /** Resolves at the end of the conversation, to an error text if something went wrong. */
  async run(): Promise<string | undefined> {
    const { input, screen, waitMs } = this.#options;
    const over = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    const lines = createInterface({ input, ...(screen.isLive && { output: screen.stream, prompt: "> " }) });
    screen.prompts(() => lines.prompt(true));
    let timer: ReturnType<typeof setTimeout> | undefined;
    lines.on("line", (line) => this.#submit(line.trim(), () => lines.close()));
    lines.on("close", () => {
      this.#hasInputEnded = true;
      if (screen.isLive) this.#finish();
      else timer = setTimeout(() => this.#finish(), waitMs);
      this.#finishIfDone();
    });
    this.#client.open();
    await over;
    clearTimeout(timer);
    lines.close();
    this.#client.close();
    if (this.#problem !== undefined) return this.#problem;
    return screen.isLive || this.#unanswered.size === 0
      ? undefined
      : `timed out waiting for ${this.#unanswered.size === 1 ? "1 answer" : `${this.#unanswered.size} answers`}`;
  }

  frame(frame: ServerFrame): void {
    if (frame.type === "welcome") this.#view.welcomed(frame.agent);
    else if (frame.type === "said" && !this.#ownIds.has(frame.id)) this.#view.said(frame);
    else if (frame.type === "reply") this.#reply(frame);
    else if (frame.type === "edit" && frame.kind === "completion") this.#view.reply(frame);
    else if (frame.type === "delta") this.#view.delta(frame);
    else if (frame.type === "storage") this.#storage(frame.available);
    else if (frame.type === "history") this.#history(frame);
  }

  statusChanged(status: ChatStatus, reason?: ErrorCode): void {
    if (this.#problem !== undefined) return;
    if (status === "away" && !this.#wasAway) this.#view.note("The gateway does not answer. Reconnecting …");
    if (status === "open" && this.#wasAway) this.#view.note("Connected again.");
    if (status === "away" || status === "open") this.#wasAway = status === "away";
    if (status !== "open") this.#isStorable = true;
    if (status === "refused") this.fail(refusalText(reason));
  }

  /** Ends the conversation with an error text for the user. */
  fail(problem: string): void {
    this.#problem ??= problem;
    this.#finish();
  }

  #storage(isAvailable: boolean): void {
    if (this.#isStorable === isAvailable) return;
    this.#isStorable = isAvailable;
    this.#view.note(
      isAvailable
        ? "Messages can be stored again. Sending yours."
        : "Messages cannot be stored right now. Yours wait to be sent.",
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

  #submit(line: string, quit: () => void): void {
    if (line === "/quit") quit();
    if (line === "/quit" || line === "") return;
    const id = this.#options.newId();
    const [, name, args = ""] = /^\/([a-z][a-z0-9-]*)\s*(.*)$/.exec(line) ?? [];
    this.#ownIds.add(id);
    this.#unanswered.add(id);
    this.#client.submit({
      frame: name === undefined ? { type: "message", id, text: line } : { type: "command", id, name, args },
    });
  }

  #reply(frame: Extract<ServerFrame, { type: "reply" }>): void {
    const isOwn = frame.correlationId !== undefined && this.#ownIds.has(frame.correlationId);
    if (isOwn || this.#options.screen.isLive) this.#view.reply(frame);
    if (frame.correlationId !== undefined) this.#answered(frame.correlationId);
  }

  #answered(id: string): void {
    this.#unanswered.delete(id);
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    if (this.#hasInputEnded && this.#unanswered.size === 0) this.#finish();
  }

  /** Shows the last entries for orientation, to a person only. */
  #history({ items }: Extract<ServerFrame, { type: "history" }>): void {
    if (!this.#options.screen.isLive) return;
    for (const item of items.slice(-MAX_SHOWN_HISTORY)) {
      if (item.type === "said") this.#view.said(item);
      else if (item.type === "reply") this.#view.reply(item);
    }
  }
}
