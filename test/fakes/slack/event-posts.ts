import { createHmac } from "node:crypto";

export interface EventPost {
  readonly body: string;
  readonly contentType: string;
  /** Seconds; defaults to now. */
  readonly at?: number;
  /** Signs the request; a wrong secret makes a forged signature. */
  readonly secret: string;
  readonly retry?: { readonly num: number; readonly reason: string };
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PostAnswer {
  /** 0: the connection ended without a response. */
  readonly status: number;
  readonly body: string;
}

export const signatureOf = (secret: string, at: number, body: string): string =>
  `v0=${createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex")}`;

/** Sends one request to the app, signed like Slack. */
export const postEvent = async (url: string, post: EventPost): Promise<PostAnswer> => {
  const { body, contentType, secret, retry, headers = {} } = post;
  const at = post.at ?? Math.floor(Date.now() / 1_000);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": contentType,
        "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "x-slack-request-timestamp": String(at),
        "x-slack-signature": signatureOf(secret, at, body),
        ...(retry && { "x-slack-retry-num": String(retry.num), "x-slack-retry-reason": retry.reason }),
        ...headers,
      },
      body,
    });
    return { status: response.status, body: await response.text() };
  } catch {
    return { status: 0, body: "" };
  }
};

export const asJson = (payload: object): Pick<EventPost, "body" | "contentType"> => ({
  body: JSON.stringify(payload),
  contentType: "application/json",
});

export const asForm = (fields: object): Pick<EventPost, "body" | "contentType"> => ({
  body: new URLSearchParams({ ...fields }).toString(),
  contentType: "application/x-www-form-urlencoded",
});
