import { verifySlackRequest } from "@slack/bolt";

type Headers = Readonly<Record<string, string | undefined>>;

/** Bolt rejects older requests but accepts timestamps from the future. */
const MAX_SECONDS_AHEAD = 300;

/** Why a request is not from Slack, or undefined if it is. The signature covers the raw body and its timestamp. */
export const refusalOf = (headers: Headers, body: Buffer, signingSecret: string, now: number): string | undefined => {
  const timestamp = headers["x-slack-request-timestamp"] ?? "";
  const signature = headers["x-slack-signature"];
  if (!/^\d{1,12}$/.test(timestamp) || signature === undefined) return "it is not signed";
  const seconds = Number(timestamp);
  if (seconds > now / 1_000 + MAX_SECONDS_AHEAD) return "its time is in the future";
  try {
    verifySlackRequest({
      signingSecret,
      body: body.toString("utf8"),
      headers: { "x-slack-signature": signature, "x-slack-request-timestamp": seconds },
      nowMilliseconds: now,
    });
    return undefined;
  } catch (error) {
    return /stale/.test(String(error)) ? "it is too old" : "its signature is wrong";
  }
};
