import { sizeOfFile } from "../../../core/contract/file-ref.ts";
import type { Delta, Said, Shown } from "../client/transcript.ts";
import { StreamedText } from "../client/transcript.ts";
import { dim } from "./inline-markdown.ts";
import { renderMarkdown, TerminalMarkdown } from "./terminal-markdown.ts";

export interface TerminalOutput {
  write(text: string): void;
  /** For remarks about the conversation, apart from its answers. */
  warn(text: string): void;
  /** Whether a person chats. A script gets answers only. */
  readonly isLive: boolean;
  /** Whether the output is a terminal, which shows styles. */
  readonly isStyled: boolean;
}

interface Draft {
  readonly correlationId: string;
  readonly text: StreamedText;
  readonly markdown: TerminalMarkdown;
  /** Characters of the text that the renderer has. */
  shown: number;
  isMidLine: boolean;
}

/** Renders a conversation as append-only lines of text. */
export class TerminalView {
  readonly #output: TerminalOutput;
  #agent = "";
  #draft: Draft | undefined;

  constructor(output: TerminalOutput) {
    this.#output = output;
  }

  welcomed(agent: string): void {
    if (this.#output.isLive && this.#agent !== agent)
      this.note(`You are talking to ${agent}. /help lists the commands; /quit leaves.`);
    this.#agent = agent;
  }

  /** A message from elsewhere in the same conversation. */
  said({ text, command }: Said): void {
    if (!this.#output.isLive) return;
    this.#line(this.#dim(`you: ${plain(command ? `/${command.name} ${command.args}` : text)}`));
  }

  reply(item: Shown): void {
    if (item.activity !== undefined) {
      this.#activity(item);
      return;
    }
    const { files = [] } = item;
    if (item.outcome === "nothing" || (item.markdown.trim() === "" && files.length === 0)) return;
    const draft = this.#draft?.correlationId === item.correlationId ? this.#draft : undefined;
    // Streamed text stays; the whole reply is printed again only if it differs.
    if (draft !== undefined && item.markdown.startsWith(draft.text.text.slice(0, draft.shown))) {
      this.#draft = undefined;
      const rest = plain(item.markdown.slice(draft.shown));
      this.#output.write(`${draft.markdown.push(rest)}${draft.markdown.end()}\n`);
    } else this.#line(`${this.#anchor(item)}${this.#rendered(plain(item.markdown))}`);
    for (const { name, bytes } of files) {
      this.#line(this.#dim(`  file: ${plain(name)}${bytes === undefined ? "" : ` (${sizeOfFile(bytes)})`}`));
    }
    const actions = (item.actions ?? []).map(({ name, label, value }) => `${label}: /${name} ${value ?? ""}`.trim());
    for (const action of actions) this.#line(this.#dim(`  ${plain(action)}`));
  }

  delta({ correlationId, ...delta }: Delta): void {
    if (!this.#output.isLive) return;
    if (this.#draft?.correlationId !== correlationId) {
      const markdown = new TerminalMarkdown();
      this.#draft = { correlationId, text: new StreamedText(), markdown, shown: 0, isMidLine: false };
    }
    const { text, shown, markdown } = this.#draft;
    text.add(delta);
    if (text.text.length <= shown) return;
    const out = markdown.push(plain(text.text.slice(shown)));
    this.#draft.shown = text.text.length;
    if (out === "") return;
    this.#draft.isMidLine = !out.endsWith("\n");
    this.#output.write(out);
  }

  note(text: string): void {
    if (this.#output.isLive) this.#line(this.#dim(text));
    else this.#output.warn(`${text}\n`);
  }

  #activity({ markdown }: Shown): void {
    if (this.#output.isLive) this.#line(this.#dim(plain(markdown)));
  }

  #rendered(markdown: string): string {
    return this.#output.isStyled ? renderMarkdown(markdown) : markdown;
  }

  #anchor({ anchor }: Shown): string {
    return anchor === undefined ? "" : `${this.#dim(plain(anchor.text))}\n`;
  }

  /** Ends the line of a streamed answer first; that answer is then printed again as a whole. */
  #line(text: string): void {
    const isMidLine = this.#draft?.isMidLine === true;
    this.#draft = undefined;
    this.#output.write(`${isMidLine ? "\n" : ""}${text}\n`);
  }

  #dim(text: string): string {
    return this.#output.isStyled ? dim(text) : text;
  }
}

/** Removes control and bidi characters, which could move the cursor, change colours or hide text. */
const plain = (text: string): string => text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e]/gu, "");
