/** One of the visitor's conversations. */
export interface ConversationInfo {
  /** "main", or the id of one beside it. */
  readonly id: string;
  /** The person's own title, or the first words; absent: none yet. */
  readonly title?: string;
  /** Time of the latest message; absent: it has none. */
  readonly changedAt?: string;
  /** The agent wrote something that the person has not read, on any device. */
  readonly unread: boolean;
}

export const MAIN_CONVERSATION = "main";

/** Lists and changes the visitor's conversations over HTTP, with the token from the socket. */
export class ConversationRequests {
  readonly #url: string;
  readonly #token: () => string | undefined;

  constructor(url: string, token: () => string | undefined) {
    this.#url = url;
    this.#token = token;
  }

  async list(): Promise<readonly ConversationInfo[]> {
    const answer = await this.#request();
    return ((await answer.json()) as { conversations: ConversationInfo[] }).conversations;
  }

  async start(): Promise<ConversationInfo> {
    return (await (await this.#request({ action: "start" })).json()) as ConversationInfo;
  }

  async rename(id: string, title: string): Promise<void> {
    await this.#request({ action: "rename", id, title });
  }

  async markRead(id: string, seq: number): Promise<void> {
    await this.#request({ action: "read", id, seq });
  }

  async delete(id: string): Promise<void> {
    await this.#request({ action: "delete", id });
  }

  /** Rejects with the gateway's text. */
  async #request(body?: object): Promise<Response> {
    const answer = await fetch(this.#url, {
      headers: { authorization: `Bearer ${this.#token() ?? ""}`, "content-type": "application/json" },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer;
    const { error } = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
    throw new Error(error?.message ?? `the gateway answered ${answer.status}`);
  }
}
