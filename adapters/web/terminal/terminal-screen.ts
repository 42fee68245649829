import type { Writable } from "node:stream";
import type { TerminalOutput } from "./terminal-view.ts";

/** Writes text: in a terminal above the line that is being typed, otherwise directly. */
export class TerminalScreen implements TerminalOutput {
  readonly stream: Writable;
  readonly isLive: boolean;
  #prompt: () => void = () => undefined;
  #isPrompted = false;

  constructor(stream: Writable & { readonly isTTY?: boolean }) {
    this.stream = stream;
    this.isLive = stream.isTTY === true;
  }

  prompts(prompt: () => void): void {
    this.#prompt = prompt;
    this.#showPrompt();
  }

  write(text: string): void {
    if (this.#isPrompted) this.stream.write("\r\u001b[K");
    this.#isPrompted = false;
    this.stream.write(text);
    if (text.endsWith("\n")) this.#showPrompt();
  }

  #showPrompt(): void {
    if (!this.isLive) return;
    this.#isPrompted = true;
    this.#prompt();
  }
}
