import type { ClientSocket } from "../../contract/abilities.ts";
import { addressKey } from "../../contract/rate-limit.ts";
import type { ClientDialogue } from "./client-dialogue.ts";

/** The dialogues of all sockets in this process. */
export class OpenDialogues {
  readonly #dialogues = new Map<ClientSocket, ClientDialogue>();
  readonly #addresses = new AddressCounts();
  readonly #listeners = this.#listen();
  readonly #onClosed: (dialogue: ClientDialogue) => void;
  #onLastClosed: (() => void) | undefined;

  /** Calls `onClosed` once the socket of a dialogue has closed. */
  constructor(onClosed: (dialogue: ClientDialogue) => void) {
    this.#onClosed = onClosed;
  }

  get size(): number {
    return this.#dialogues.size;
  }

  countOf(remoteAddress: string): number {
    return this.#addresses.of(remoteAddress);
  }

  [Symbol.iterator](): IterableIterator<ClientDialogue> {
    return this.#dialogues.values();
  }

  add(socket: ClientSocket, dialogue: ClientDialogue): void {
    this.#dialogues.set(socket, dialogue);
    this.#addresses.add(dialogue.remoteAddress);
    socket.on("message", this.#listeners.message);
    socket.on("pong", this.#listeners.pong);
    socket.on("close", this.#listeners.close);
  }

  allClosed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onLastClosed = resolve;
      if (this.#dialogues.size === 0) resolve();
    });
  }

  /** Shared by all sockets: closures per socket would add a tenth to the memory of an idle one. */
  #listen() {
    const dialogues = this.#dialogues;
    const remove = (socket: ClientSocket) => this.#remove(socket);
    return {
      message(this: ClientSocket, data: Buffer, isBinary: boolean) {
        dialogues.get(this)?.receive(data, isBinary);
      },
      pong(this: ClientSocket) {
        dialogues.get(this)?.connection.onPong();
      },
      close(this: ClientSocket) {
        remove(this);
      },
    };
  }

  #remove(socket: ClientSocket): void {
    const dialogue = this.#dialogues.get(socket);
    if (dialogue === undefined) return;
    dialogue.connection.onClosed();
    this.#dialogues.delete(socket);
    this.#addresses.remove(dialogue.remoteAddress);
    this.#onClosed(dialogue);
    if (this.#dialogues.size === 0) this.#onLastClosed?.();
  }
}

/** Counts the open sockets of each address. */
class AddressCounts {
  readonly #counts = new Map<string, number>();

  of(address: string): number {
    return this.#counts.get(addressKey(address)) ?? 0;
  }

  add(address: string): void {
    this.#counts.set(addressKey(address), this.of(address) + 1);
  }

  remove(address: string): void {
    const left = this.of(address) - 1;
    if (left > 0) this.#counts.set(addressKey(address), left);
    else this.#counts.delete(addressKey(address));
  }
}
