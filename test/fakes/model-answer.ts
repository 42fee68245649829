/** Holds an answer back until the test releases it. */
export class Gate {
  readonly opened: Promise<void>;
  #open: () => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  release(): void {
    this.#open();
  }
}

export interface ScriptedToolCall {
  readonly name: string;
  /** A string is sent unchanged, so it may be malformed; any other value is sent as JSON. */
  readonly arguments: unknown;
  /** "" sends no id. Absent: the server generates one. */
  readonly id?: string;
}

/** A model's answer: pieces of text in order, with a wait at each gate, then tool calls. */
export interface Speech {
  readonly kind: "speech";
  readonly pieces: readonly (string | Gate)[];
  readonly toolCalls: readonly ScriptedToolCall[];
  /** "cut" destroys the connection after the last piece; "unfinished" ends the stream without its closing events. */
  readonly ending: "complete" | "cut" | "unfinished";
  /** In the protocol's notation; absent: the one that fits the answer. */
  readonly finishReason?: string;
  readonly usage?: { readonly input: number; readonly output: number };
}

/** An arbitrary HTTP response. */
export interface RawAnswer {
  readonly kind: "raw";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** "silence" never responds; "hang-up" closes the connection. */
export interface NoAnswer {
  readonly kind: "silence" | "hang-up";
}

export type ModelAnswer = Speech | RawAnswer | NoAnswer;

type Rest = Partial<Omit<Speech, "kind" | "pieces" | "toolCalls">>;

/** `says("hello")`, `says(["hel", "lo"])`, `says([gate, "late"])` for a slow first token. */
export const says = (text: string | readonly (string | Gate)[], rest: Rest = {}): ModelAnswer => ({
  kind: "speech",
  pieces: typeof text === "string" ? [text] : text,
  toolCalls: [],
  ending: "complete",
  ...rest,
});

export const calls = (toolCalls: readonly ScriptedToolCall[], rest: Rest & { text?: string } = {}): ModelAnswer => ({
  kind: "speech",
  pieces: rest.text === undefined ? [] : [rest.text],
  toolCalls,
  ending: "complete",
  ...rest,
});

export const fails = (
  status: number,
  options: { headers?: Record<string, string>; error?: object } = {},
): ModelAnswer =>
  raw(JSON.stringify({ error: { message: "scripted failure", ...options.error } }), {
    status,
    headers: { "content-type": "application/json", ...options.headers },
  });

export const neverAnswers = (): ModelAnswer => ({ kind: "silence" });
export const hangsUp = (): ModelAnswer => ({ kind: "hang-up" });
export const hangsAfter = (...pieces: string[]): ModelAnswer => says([...pieces, new Gate()]);
export const cutsAfter = (...pieces: string[]): ModelAnswer => says(pieces, { ending: "cut" });
export const endsEarlyAfter = (...pieces: string[]): ModelAnswer => says(pieces, { ending: "unfinished" });

export const eventStream = (body: string): ModelAnswer =>
  raw(body, { headers: { "content-type": "text/event-stream" } });
export const garbage = (): ModelAnswer => eventStream("data: {not json\n\ndata: �\n\nnonsense\n\n");
export const html = (status = 200): ModelAnswer =>
  raw("<!doctype html><title>Sign in</title>", { status, headers: { "content-type": "text/html" } });
export const empty = (): ModelAnswer => eventStream("");

export const raw = (
  body: string,
  options: { status?: number; headers?: Record<string, string> } = {},
): ModelAnswer => ({
  kind: "raw",
  status: options.status ?? 200,
  headers: options.headers ?? {},
  body,
});
