import type { Readable, Writable } from "node:stream";
import type { TerminalOutput } from "./terminal-view.ts";

interface Terminal {
  readonly isTTY?: boolean;
}

/** Writes text: in a terminal above the line that is being typed, otherwise directly. */
export class TerminalScreen implements TerminalOutput {
  readonly stream: Writable;
  readonly isLive: boolean;
  readonly isStyled: boolean;
  readonly #remarks: Writable;
  #prompt: () => void = () => undefined;
  #isPrompted = false;

  /** Live only if a person types: with piped input, a terminal that shows the output waits for the answers. */
  constructor(stream: Writable & Terminal, input: Readable & Terminal, remarks: Writable) {
    this.stream = stream;
    this.#remarks = remarks;
    this.isStyled = stream.isTTY === true;
    this.isLive = stream.isTTY === true && input.isTTY === true;
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

  warn(text: string): void {
    this.#remarks.write(text);
  }

  #showPrompt(): void {
    if (!this.isLive) return;
    this.#isPrompted = true;
    this.#prompt();
  }
}
