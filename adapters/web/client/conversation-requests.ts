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

/** A conversation of this client that the gateway has not started yet; the gateway gives no conversation this id. */
export const NEW_CONVERSATION = "new";

export interface StartedConversation {
  readonly id: string;
  /** Why there is no new conversation; `id` is the main one. */
  readonly refusal?: string;
}

/** The gateway's text and code. Without a code, something else has answered, for example a proxy. */
class RequestFailed extends Error {
  readonly code: string | undefined;

  constructor(
    status: number,
    { code, message = `the gateway answered ${status}` }: { code?: string; message?: string },
  ) {
    super(message);
    this.code = code;
  }
}

/** A retry after a while may succeed. */
const TEMPORARY: readonly (string | undefined)[] = [undefined, "rate-limited", "unavailable"];

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

  /** A new conversation, or the one without a message. Rejects if a retry may succeed. */
  async start(token: string): Promise<StartedConversation> {
    try {
      return (await (await this.#request({ action: "start" }, token)).json()) as ConversationInfo;
    } catch (error) {
      if (error instanceof RequestFailed && !TEMPORARY.includes(error.code))
        return { id: MAIN_CONVERSATION, refusal: error.message };
      throw error;
    }
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

  async #request(body?: object, token = this.#token() ?? ""): Promise<Response> {
    const answer = await fetch(this.#url, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer;
    const { error = {} } = (await answer.json().catch(() => ({}))) as { error?: { code?: string; message?: string } };
    throw new RequestFailed(answer.status, error);
  }
}
