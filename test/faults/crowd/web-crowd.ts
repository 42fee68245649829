import { createHmac } from "node:crypto";
import { type LogItem, WebClient } from "../../fakes/web-client.ts";
import { conversationName, type Seen } from "../account/account.ts";
import type { Crowd, Surface } from "./crowd.ts";

const IDENTITY_KEY = "the harness signs who its visitors are";

/** Identified visitors at the widget's socket. They reconnect after every disconnection, to any gateway. */
export class WebCrowd implements Crowd {
  readonly tells = true;
  readonly #gateway: () => string;
  readonly #clients = new Map<string, WebClient>();
  readonly #forgotten = new Map<string, number>();

  /** `gateway` returns the address of a running gateway, another one each time. */
  constructor(gateway: () => string) {
    this.#gateway = gateway;
  }

  get config(): object {
    const limits = {
      messagesPerSecond: 1_000,
      messageBurst: 1_000,
      messagesPerSecondOfAddress: 1_000,
      connectionsPerAddress: 1_000,
    };
    return { adapter: "web", identityKey: IDENTITY_KEY, limits };
  }

  accountOf(person: string): string {
    return `${person}@example.com`;
  }

  surfacesOf(person: string): readonly Surface[] {
    return [
      {
        conversation: conversationName({ channel: "web", room: person }),
        isPrivate: true,
        /** The client itself retries until a message is accepted. */
        say: async (text) => {
          const client = this.#clientOf(person);
          const id = client.say(text);
          await client.until(() => client.accepted.includes(id), `${text} to be accepted`, 2 ** 31 - 1);
        },
      },
    ];
  }

  seen(): readonly Seen[] {
    return [...this.#clients].flatMap(([person, { log }]) =>
      standing(log)
        .slice(this.#forgotten.get(person))
        .map(({ markdown = "", activity = "", anchor }) => ({
          conversation: conversationName({ channel: "web", room: person }),
          text: `${markdown} ${JSON.stringify(activity)}`,
          ...(anchor !== undefined && { anchor: anchor.summary }),
        })),
    );
  }

  forget(): void {
    for (const [person, { log }] of this.#clients) this.#forgotten.set(person, standing(log).length);
  }

  cutAll(): void {
    for (const client of this.#clients.values()) client.cut();
  }

  /** Gaps and duplicates in the sequence numbers of a client. */
  gaps(): string[] {
    return [...this.#clients].flatMap(([person, { log }]) => {
      const wrong = log.findIndex(({ seq }, index) => index > 0 && seq !== (log[index - 1]?.seq ?? 0) + 1);
      return wrong < 0 ? [] : [`${person} received ${log[wrong]?.seq} after ${log[wrong - 1]?.seq}`];
    });
  }

  stop(): void {
    for (const client of this.#clients.values()) client.close();
  }

  #clientOf(person: string): WebClient {
    const known = this.#clients.get(person);
    if (known !== undefined) return known;
    const client = new WebClient(person, this.#gateway, "web", hostToken(this.accountOf(person)));
    this.#clients.set(person, client);
    return client;
  }
}

/** An edit takes the position of the reply that it changes. */
const standing = (log: readonly LogItem[]): LogItem[] => {
  const shown: LogItem[] = [];
  for (const item of log) {
    const changed = item.type === "edit" ? shown.findIndex(({ id }) => id === item.id) : -1;
    if (changed >= 0) shown[changed] = item;
    else if (item.type !== "said") shown.push(item);
  }
  return shown;
};

/** Signs the identity of a visitor, as a page does. */
const hostToken = (sub: string): string => {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(Date.now() / 1_000) + 7 * 86_400;
  const signed = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ sub, exp })}`;
  return `${signed}.${createHmac("sha256", IDENTITY_KEY).update(signed).digest("base64url")}`;
};
