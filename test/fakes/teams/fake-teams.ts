import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ConnectorApi, type Post } from "./connector-api.ts";
import type { TeamsFault } from "./fault.ts";
import type { Said, TeamsConversationType, World } from "./sent-activity.ts";
import { activityBy, messageBy, privateRoomOf, roomIn, userIdOf } from "./sent-activity.ts";
import { SignIn } from "./sign-in.ts";
import type { TokenChanges } from "./token-mint.ts";
import { TokenMint } from "./token-mint.ts";

export const CONSENT_CARD = "application/vnd.microsoft.teams.card.file.consent";
const ISSUER = "https://api.botframework.com";

/** A local Microsoft Teams: signing keys, sign-in, connector, and people who write. */
export class FakeTeams implements World {
  readonly tenantId = randomUUID();
  readonly mint = new TokenMint(ISSUER);
  readonly signIn = new SignIn(ISSUER);
  readonly api = new ConnectorApi();
  /** Method and path of every request. */
  readonly requests: string[] = [];
  /** Files by path. The download of a "stalled" one never ends. */
  readonly files = new Map<string, Buffer | "stalled">();
  /** Fault of the connector. */
  fault: TeamsFault | undefined;
  /** Called for each request to the connector. */
  faultIn: (method: string, body: string) => TeamsFault | undefined = () => this.fault;
  keysFail = false;
  /** Redirects requests for the OpenID document to this address. */
  keysMovedTo: string | undefined;
  /** Further or different fields of the OpenID document. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** The bot's messaging endpoint. */
  endpoint = "";
  readonly #hanging = new Set<() => void>();
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  static async start(port = 0): Promise<FakeTeams> {
    const teams = new FakeTeams();
    await new Promise<void>((resolve) => teams.#server.listen(port, "127.0.0.1", resolve));
    return teams;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get appId(): string {
    return this.signIn.appId;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get serviceUrl(): string {
    return `${this.origin}/emea/${this.tenantId}/`;
  }

  /** The channel's configuration for this Teams, as in the configuration file. */
  get config() {
    const { signIn, tenantId, origin } = this;
    return {
      adapter: "teams" as const,
      appId: signIn.appId,
      appPassword: signIn.appPassword,
      tenantId,
      openIdMetadataUrl: `${origin}/v1/.well-known/openidconfiguration`,
      tokenUrl: origin,
      serviceUrls: [`${origin}/emea`],
      fileHosts: [new URL(origin).host],
    };
  }

  /** A person writes. Resolves to the HTTP status; 0: no response. */
  async say(said: Said): Promise<number> {
    this.installIn(said.conversationType ?? "personal", said.person);
    return this.send(messageBy(this, said, said.id ?? this.api.nextId()));
  }

  /** Installs the app without an event. */
  installIn(conversationType: TeamsConversationType, person = "ann"): void {
    this.api.roster.add(roomIn(conversationType, person));
    this.api.privateRooms.set(userIdOf(person), privateRoomOf(person));
  }

  /** Adds the app to a room or removes it, and sends both events of Teams. */
  async install(action: "add" | "remove", said: Said = {}): Promise<number[]> {
    const { conversationType = "personal", person = "ann" } = said;
    if (action === "add") this.installIn(conversationType, person);
    else this.api.roster.delete(roomIn(conversationType, person));
    const conversation = { id: roomIn(conversationType, person), conversationType: conversationType };
    const base = { ...activityBy(this, said, this.api.nextId()), conversation };
    const members = { [action === "add" ? "membersAdded" : "membersRemoved"]: [{ id: `28:${this.appId}` }] };
    return [
      await this.send({ ...base, type: "conversationUpdate", ...members }),
      await this.send({ ...base, type: "installationUpdate", action }),
    ];
  }

  /** Posts to the bot, with a genuine token unless `changes` says otherwise. */
  async send(activity: unknown, changes: TokenChanges & { authorization?: string } = {}): Promise<number> {
    const serviceurl = (activity as { serviceUrl?: string } | null)?.serviceUrl ?? this.serviceUrl;
    const authorization =
      changes.authorization ?? `Bearer ${await this.mint.token({ aud: this.appId, serviceurl }, changes)}`;
    try {
      const answer = await fetch(this.endpoint, {
        method: "POST",
        headers: { "content-type": "application/json; charset=utf-8", ...(authorization && { authorization }) },
        body: typeof activity === "string" ? activity : JSON.stringify(activity),
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return 0;
    }
  }

  /** A person answers the card of a message that offers a file. Resolves to the HTTP status and the file's bytes. */
  async consent(
    post: Post,
    action: "accept" | "decline" = "accept",
    person = "ann",
    to = `${this.origin}/files/upload-${post.id}`,
  ): Promise<{ status: number; bytes: Buffer | undefined }> {
    const card = post.activity.attachments?.find(({ contentType }) => contentType === CONSENT_CARD);
    if (card === undefined) throw new Error(`${post.id} offers no file`);
    const { acceptContext: context } = card.content as { acceptContext: unknown };
    const { name = "" } = card;
    const uploadInfo = { name, uploadUrl: to, contentUrl: to, uniqueId: post.id, fileType: name.split(".").at(-1) };
    const value = { type: "fileUpload", action, context, ...(action === "accept" && { uploadInfo }) };
    const by = activityBy(this, { person }, this.api.nextId());
    const conversation = { ...by.conversation, id: post.conversationId };
    const invoke = { ...by, conversation, type: "invoke", name: "fileConsent/invoke", value, replyToId: post.id };
    const status = await this.send(invoke);
    const bytes = this.files.get(new URL(to).pathname);
    return { status, bytes: bytes === "stalled" ? undefined : bytes };
  }

  /** Ends the fault and answers hanging requests. */
  recover(): void {
    this.fault = undefined;
    for (const act of this.#hanging) act();
    this.#hanging.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "", this.origin);
    const bytes = await bytesOf(request);
    const body = bytes.toString("utf8");
    this.requests.push(`${request.method} ${pathname}`);
    if (pathname.startsWith("/v1/.well-known/")) return this.#serveKeys(pathname, response);
    if (pathname === `/${this.tenantId}/oauth2/v2.0/token`) {
      await this.signIn.ready;
      const { status, body: token } = this.signIn.answer(new URLSearchParams(body));
      return answer(response, status, token);
    }
    if (pathname.startsWith("/files/") && request.method === "PUT") {
      const isWhole = request.headers["content-range"] === `bytes 0-${bytes.length - 1}/${bytes.length}`;
      if (request.headers.authorization || !isWhole) return answer(response, 400, {});
      this.files.set(pathname, bytes);
      return answer(response, 201, {});
    }
    if (pathname.startsWith("/files/")) {
      // SharePoint needs no token for a download address, and refuses foreign tokens.
      return request.headers.authorization ? answer(response, 401, {}) : this.#serveFile(pathname, response);
    }
    const service = new URL(this.serviceUrl).pathname.slice(0, -1);
    if (!pathname.startsWith(`${service}/v3/`)) return answer(response, 404, {});
    if (!this.signIn.isValid(request.headers.authorization)) {
      return answer(response, 401, { error: { code: "Unauthorized", message: "Unauthorized" } });
    }
    if (pathname.includes("/v3/attachments/")) return this.#serveFile(pathname, response);
    this.#call(request.method ?? "", pathname.slice(service.length), body, response);
  }

  #call(method: string, path: string, body: string, response: ServerResponse): void {
    const fault = this.faultIn(method, body);
    const act = () => {
      const done = this.api.answer(method, path, body) ?? { status: 404, body: {} };
      answer(response, done.status, done.body);
    };
    if (fault === undefined) act();
    else if (fault === "hang") this.#hanging.add(act);
    else if (fault === "cut-after-accept") {
      this.api.answer(method, path, body);
      response.destroy();
    } else if (fault === "fail-after-accept") {
      this.api.answer(method, path, body);
      answer(response, 500, { error: { code: "InternalServerError", message: "InternalServerError" } });
    } else {
      const { status, code = "Error", headers } = fault;
      answer(response, status, { error: { code, message: code } }, headers);
    }
  }

  async #serveKeys(pathname: string, response: ServerResponse): Promise<void> {
    if (this.keysFail) return answer(response, 503, {});
    if (this.keysMovedTo !== undefined) return answer(response, 302, {}, { location: this.keysMovedTo });
    if (pathname.endsWith("/keys")) return answer(response, 200, await this.mint.publicKeys());
    const jwks_uri = `${this.origin}/v1/.well-known/keys`;
    return answer(response, 200, { issuer: ISSUER, jwks_uri, ...this.metadata });
  }

  #serveFile(pathname: string, response: ServerResponse): void {
    const file = this.files.get(pathname);
    if (file === undefined) answer(response, 404, {});
    else if (file === "stalled") response.writeHead(200).write("the beginning");
    else response.writeHead(200, { "content-type": "application/octet-stream" }).end(file);
  }
}

const answer = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};
