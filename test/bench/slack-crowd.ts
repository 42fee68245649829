import { asJson, signatureOf } from "../fakes/slack/event-posts.ts";
import { envelopeOf, messageEvent } from "../fakes/slack/payloads.ts";
import type { SlackWorld } from "../fakes/slack/slack-world.ts";
import { MESSAGE_TEXT } from "./message-text.ts";
import { PEOPLE, type Posted, PostingCrowd } from "./posting-crowd.ts";

/** Creates an event of this person each time: new and signed. */
export const slackEventBy =
  (world: SlackWorld, secret: string) =>
  (person: number): Posted => {
    const user = `U0${person}`;
    const words = { user, room: world.directRoomOf(user), text: MESSAGE_TEXT, ts: world.nextTs() };
    const { body, contentType } = asJson(envelopeOf(world, messageEvent(world, words), `Ev${words.ts}`));
    const at = Math.floor(Date.now() / 1_000);
    const headers = {
      "content-type": contentType,
      "x-slack-request-timestamp": at,
      "x-slack-signature": signatureOf(secret, at, body),
    };
    return { headers, body };
  };

/** People who write in Slack. */
export const slackCrowd = (world: SlackWorld, url: string, secret: string): PostingCrowd => {
  for (let n = 0; n < PEOPLE; n++) world.addUser({ id: `U0${n}`, name: `person ${n}` });
  return new PostingCrowd(url, slackEventBy(world, secret));
};
