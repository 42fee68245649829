import type { ClientSocket } from "../../contract/abilities.ts";
import { addressKey } from "../../contract/address-rates.ts";
import type { ClientDialogue } from "./client-dialogue.ts";

/** The dialogues with the clients that have a socket here. */
export class OpenDialogues {
  readonly #dialogues = new Map<ClientSocket, ClientDialogue>();
  readonly #addresses = new AddressCounts();
  readonly #listeners = this.#listen();
  readonly #gone: (dialogue: ClientDialogue) => void;
  #lastGone: (() => void) | undefined;

  /** `gone` is called once the socket of a dialogue has closed. */
  constructor(gone: (dialogue: ClientDialogue) => void) {
    this.#gone = gone;
  }

  get size(): number {
    return this.#dialogues.size;
  }

  sizeOf(remoteAddress: string): number {
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

  allGone(): Promise<void> {
    return new Promise((resolve) => {
      this.#lastGone = resolve;
      if (this.#dialogues.size === 0) resolve();
    });
  }

  /** The same for all sockets: of their own, they would be a tenth of what an idle one takes. */
  #listen() {
    const dialogues = this.#dialogues;
    const remove = (socket: ClientSocket) => this.#remove(socket);
    return {
      message(this: ClientSocket, data: Buffer, isBinary: boolean) {
        dialogues.get(this)?.receive(data, isBinary);
      },
      pong(this: ClientSocket) {
        dialogues.get(this)?.connection.ponged();
      },
      close(this: ClientSocket) {
        remove(this);
      },
    };
  }

  #remove(socket: ClientSocket): void {
    const dialogue = this.#dialogues.get(socket);
    if (dialogue === undefined) return;
    dialogue.connection.ended();
    this.#dialogues.delete(socket);
    this.#addresses.remove(dialogue.remoteAddress);
    this.#gone(dialogue);
    if (this.#dialogues.size === 0) this.#lastGone?.();
  }
}

/** How many sockets each address has open. */
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
