import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer as readBuffer, text as readText } from "node:stream/consumers";
import { Recorder } from "../recorder.ts";
import type { EventPost, PostAnswer } from "./event-posts.ts";
import { asForm, asJson, postEvent } from "./event-posts.ts";
import { buttonPress, envelopeOf, mentionEvent, messageEvent, slashCommand } from "./payloads.ts";
import type { SlackMessage } from "./slack-world.ts";
import { SlackWorld } from "./slack-world.ts";
import { SocketSide } from "./socket-side.ts";
import type { Args, Result } from "./web-methods.ts";
import { scopeOf, webMethods } from "./web-methods.ts";

/** The fault of a call. Any other text is the name of Slack's error. */
export type SlackFault =
  | "429"
  | "503"
  | "502"
  | "no-json"
  | "cut-after-accept"
  | "500-after-accept"
  | "hang"
  | (string & {});

export interface Saying {
  readonly text: string;
  /** Defaults to "U0ANN". */
  readonly user?: string;
  /** Defaults to the user's direct messages. */
  readonly room?: string;
  readonly thread?: string;
  /** The timestamp, which is also the id: a message with the same one is a duplicate. */
  readonly ts?: string;
  /** Further or different fields of the event. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** The type of the event; Slack sends a mention in a room as both if the app has subscribed to both. */
  readonly as?: "message" | "app_mention";
  readonly retry?: EventPost["retry"];
}

export interface SlackAnswer {
  readonly answer: "acknowledged" | "refused" | "none";
  /** The response to a slash command. */
  readonly body: string;
}

/** A local Slack: the Web API, signed event posts, and Socket Mode, after Slack's documentation and the SDK's types. */
export class FakeSlack {
  readonly world = new SlackWorld();
  readonly sockets = new SocketSide(this.world.appId);
  readonly calls = new Recorder<{ method: string; args: Args }>();
  readonly signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";
  botToken = "xoxb-0-local";
  appToken = `xapp-1-${this.world.appId}-0-local`;
  scopes = new Set([
    ...["app_mentions:read", "assistant:write", "channels:history", "chat:write", "commands", "files:read"],
    "files:write",
    ...["groups:history", "im:history", "im:write", "mpim:history", "reactions:write", "users:read"],
  ]);
  appScopes = new Set(["connections:write"]);
  retryAfterSeconds = 0;
  faultIn: (method: string, args: Args) => SlackFault | undefined = () => undefined;
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));
  readonly #hanging = new Set<() => void>();
  readonly #changed = new Set<() => void>();
  #eventsUrl: string | undefined;

  static async start(port = 0): Promise<FakeSlack> {
    const slack = new FakeSlack();
    slack.#server.on("upgrade", (request, socket, head) => slack.sockets.upgrade(request, socket, head));
    await new Promise<void>((resolve) => slack.#server.listen(port, "127.0.0.1", resolve));
    return slack;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get apiUrl(): string {
    return `${this.baseUrl}/api/`;
  }

  /** The bot's messages, in order; `onlyFor` marks ephemeral ones. */
  get posted(): readonly SlackMessage[] {
    return this.world.messages.filter(({ user }) => user === this.world.botUserId);
  }

  /** Resolves once the condition holds; only the timeout of the test limits the wait. */
  until(condition: (posted: readonly SlackMessage[]) => boolean): Promise<readonly SlackMessage[]> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition(this.posted)) return;
        this.#changed.delete(check);
        resolve(this.posted);
      };
      this.#changed.add(check);
      check();
    });
  }

  /** Sends events over HTTP from now on, instead of over the socket. */
  sendEventsTo(url: string): void {
    this.#eventsUrl = url;
  }

  /** A person writes. */
  say(saying: Saying): Promise<SlackAnswer> {
    const { user = "U0ANN", room = this.world.directRoomOf(user), text, thread, more } = saying;
    const ts = saying.ts ?? this.world.nextTs();
    const message = { user, room, text, ts, ...(thread !== undefined && { thread }), ...(more && { more }) };
    if (this.world.find(room, ts) === undefined) {
      const said = { room, ts, user, text, blocks: [], attachments: [], ...(thread !== undefined && { thread }) };
      this.world.messages.push(said);
    }
    const make = saying.as === "app_mention" ? mentionEvent : messageEvent;
    return this.event(make(this.world, message), `Ev${saying.as ?? "message"}${ts}`, saying.retry);
  }

  event(event: object, eventId = `Ev${this.world.nextTs()}`, retry?: EventPost["retry"]): Promise<SlackAnswer> {
    const envelope = envelopeOf(this.world, event, eventId);
    return this.#send("events_api", envelope, { ...asJson(envelope), ...(retry && { retry }) });
  }

  command({ text = "", user = "U0ANN", room = this.world.directRoomOf(user), trigger = this.world.nextTs() }) {
    const fields = slashCommand(this.world, { user, room, text, trigger });
    return this.#send("slash_commands", fields, asForm(fields));
  }

  /** A person presses the button with this label. */
  press(message: SlackMessage, label: string, user = "U0ANN"): Promise<SlackAnswer> {
    const elements = message.blocks.flatMap((block) => (Array.isArray(block.elements) ? block.elements : []));
    const button = elements.find((element) => element.type === "button" && element.text?.text === label);
    if (button === undefined) throw new Error(`the message has no button "${label}"`);
    const { action_id: actionId, value } = button;
    const press = buttonPress(this.world, { user, message, actionId, value });
    return this.#send("interactive", press, asForm({ payload: JSON.stringify(press) }));
  }

  /** Sends an arbitrary request to the app: forged, stale or malformed. */
  post(post: Omit<EventPost, "secret"> & { secret?: string }): Promise<PostAnswer> {
    return postEvent(this.#eventsUrl ?? "", { secret: this.signingSecret, ...post });
  }

  /** Ends all faults and answers hanging requests. */
  recover(): void {
    this.faultIn = () => undefined;
    for (const answer of this.#hanging) answer();
    this.#hanging.clear();
  }

  async stop(): Promise<void> {
    this.sockets.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #send(
    type: "events_api" | "slash_commands" | "interactive",
    payload: object,
    post: Omit<EventPost, "secret">,
  ): Promise<SlackAnswer> {
    if (this.#eventsUrl === undefined) {
      const answer = await this.sockets.send(type, payload);
      if (!answer.acknowledged) return { answer: "none", body: "" };
      return { answer: "acknowledged", body: JSON.stringify(answer.payload ?? {}) };
    }
    const { status, body } = await this.post(post);
    if (status === 0) return { answer: "none", body };
    return { answer: status >= 200 && status < 300 ? "acknowledged" : "refused", body };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", this.baseUrl).pathname;
    const token = request.headers.authorization?.replace(/^Bearer /, "");
    if (path.startsWith("/files/")) return this.#serveFile(path.slice("/files/".length), token, response);
    if (path.startsWith("/upload/")) return this.#takeFile(path.slice("/upload/".length), request, response);
    const method = path.replace(/^\/api\//, "");
    const args: Args = Object.fromEntries(new URLSearchParams(await readText(request)));
    this.calls.add({ method, args });
    const act = () => this.#answer(method, args, token);
    const fault = this.faultIn(method, args);
    if (fault === undefined) reply(response, 200, act(), this.scopes);
    else this.#misbehave(fault, act, response);
    for (const check of [...this.#changed]) check();
  }

  #answer(method: string, args: Args, token: string | undefined): Result {
    const call = webMethods[method];
    if (method === "apps.connections.open") return this.#openConnection(token);
    if (call === undefined) return { ok: false, error: "unknown_method" };
    if (token !== this.botToken) return { ok: false, error: token ? "invalid_auth" : "not_authed" };
    const needed = scopeOf[method];
    if (needed !== undefined && !this.scopes.has(needed)) {
      return { ok: false, error: "missing_scope", needed, provided: [...this.scopes].join(",") };
    }
    return call(this.world, args, this.baseUrl);
  }

  #openConnection(token: string | undefined): Result {
    if (token !== this.appToken) return { ok: false, error: "invalid_auth" };
    if (!this.appScopes.has("connections:write")) {
      return {
        ok: false,
        error: "missing_scope",
        needed: "connections:write",
        provided: [...this.appScopes].join(","),
      };
    }
    return { ok: true, url: `${this.baseUrl.replace("http", "ws")}/link/?ticket=${this.sockets.newTicket()}` };
  }

  #misbehave(fault: SlackFault, act: () => Result, response: ServerResponse): void {
    if (fault === "429") {
      response.setHeader("retry-after", String(this.retryAfterSeconds));
      reply(response, 429, { ok: false, error: "ratelimited" });
    } else if (fault === "503" || fault === "502") {
      response.writeHead(Number(fault), { "content-type": "text/html" }).end("<html>error</html>");
    } else if (fault === "no-json") {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>a proxy</html>");
    } else if (fault === "cut-after-accept") {
      act();
      response.destroy();
    } else if (fault === "500-after-accept") {
      act();
      response.writeHead(500, { "content-type": "text/html" }).end("<html>error</html>");
    } else if (fault === "hang") {
      this.#hanging.add(() => !response.destroyed && reply(response, 200, act(), this.scopes));
    } else {
      reply(response, 200, { ok: false, error: fault });
    }
  }

  async #takeFile(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = this.world.files.get(id);
    const content = await readBuffer(request);
    if (file !== undefined) this.world.files.set(id, { ...file, content });
    response.writeHead(file === undefined ? 404 : 200).end();
  }

  #serveFile(id: string, token: string | undefined, response: ServerResponse): void {
    const file = this.world.files.get(id);
    if (file === undefined) {
      response.writeHead(404).end();
    } else if (token !== this.botToken || !this.scopes.has("files:read")) {
      // Slack responds with its sign-in page.
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>");
    } else {
      response.writeHead(200, { "content-type": file.mimetype }).end(file.content);
    }
  }
}

const reply = (response: ServerResponse, status: number, body: Result, scopes?: ReadonlySet<string>): void => {
  const headers = scopes ? { "x-oauth-scopes": [...scopes].join(",") } : {};
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};
