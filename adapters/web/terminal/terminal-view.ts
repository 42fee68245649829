import { sizeOfFile } from "../../../core/contract/file-ref.ts";
import type { Delta, Said, Shown } from "../client/transcript.ts";
import { StreamedText } from "../client/transcript.ts";

export interface TerminalOutput {
  write(text: string): void;
  /** Whether colours and streamed text are possible. */
  readonly isLive: boolean;
}

/** Renders a conversation as append-only lines of text. */
export class TerminalView {
  readonly #output: TerminalOutput;
  #agent = "";
  #draft: { readonly correlationId: string; readonly text: StreamedText; shown: number } | undefined;

  constructor(output: TerminalOutput) {
    this.#output = output;
  }

  welcomed(agent: string): void {
    if (this.#agent !== agent) this.note(`You are talking to ${agent}. /help lists the commands; /quit leaves.`);
    this.#agent = agent;
  }

  /** A message from elsewhere in the same conversation. */
  said({ text, command }: Said): void {
    this.#line(this.#dim(`you: ${plain(command ? `/${command.name} ${command.args}` : text)}`));
  }

  reply(item: Shown): void {
    if (item.activity !== undefined) {
      this.#activity(item);
      return;
    }
    const { files = [] } = item;
    if (item.outcome === "nothing" || (item.markdown.trim() === "" && files.length === 0)) return;
    const isShown = this.#draft !== undefined && this.#draft.correlationId === item.correlationId;
    const streamed = isShown ? (this.#draft?.text.text.slice(0, this.#draft.shown) ?? "") : "";
    // Streamed text stays; the whole reply is printed again only if it differs.
    if (isShown && item.markdown.startsWith(streamed)) {
      this.#draft = undefined;
      this.#output.write(`${plain(item.markdown.slice(streamed.length))}\n`);
    } else this.#line(`${this.#anchor(item)}${plain(item.markdown)}`);
    for (const { name, bytes } of files) {
      this.#line(this.#dim(`  file: ${plain(name)}${bytes === undefined ? "" : ` (${sizeOfFile(bytes)})`}`));
    }
    const actions = (item.actions ?? []).map(({ name, label, value }) => `${label}: /${name} ${value ?? ""}`.trim());
    for (const action of actions) this.#line(this.#dim(`  ${plain(action)}`));
  }

  delta({ correlationId, ...delta }: Delta): void {
    if (!this.#output.isLive) return;
    if (this.#draft?.correlationId !== correlationId)
      this.#draft = { correlationId, text: new StreamedText(), shown: 0 };
    const { text, shown } = this.#draft;
    text.add(delta);
    if (text.text.length <= shown) return;
    this.#output.write(plain(text.text.slice(shown)));
    this.#draft.shown = text.text.length;
  }

  note(text: string): void {
    this.#line(this.#dim(text));
  }

  #activity({ markdown, kind }: Shown): void {
    if (kind === "completion" || this.#output.isLive) this.#line(this.#dim(plain(markdown)));
  }

  #anchor({ anchor }: Shown): string {
    return anchor === undefined ? "" : `${this.#dim(plain(anchor.text))}\n`;
  }

  /** Ends the line of a streamed answer first; that answer is then printed again as a whole. */
  #line(text: string): void {
    const isMidLine = this.#draft !== undefined && this.#draft.shown > 0;
    this.#draft = undefined;
    this.#output.write(`${isMidLine ? "\n" : ""}${text}\n`);
  }

  #dim(text: string): string {
    return this.#output.isLive ? `\u001b[2m${text}\u001b[22m` : text;
  }
}

/** Removes control and bidi characters, which could move the cursor, change colours or hide text. */
const plain = (text: string): string => text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e]/gu, "");
