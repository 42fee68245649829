import type { FakeSlack } from "../fakes/slack/fake-slack.ts";
import type { WebClient } from "../fakes/web-client.ts";

/** Older releases, which wrote the frozen data, have another label. */
const labelIn = ({ blocks }: { readonly blocks: readonly object[] }): string =>
  ["Link accounts", "Yes, link them"].find((label) => JSON.stringify(blocks).includes(label)) ?? "no label";

/** Links Ann's widget and a thread of her direct messages, by the steps that she would take herself (I1). */
export const linkInSlack = async (slack: FakeSlack, web: WebClient, thread: string): Promise<void> => {
  const posts = () => slack.posted.filter((post) => post.room === "D0ANN" && post.thread === thread);
  const offered = await web.answerTo(web.command("link"));
  const code = /`(\w{5}-\w{5})`/.exec(offered.markdown ?? "")?.[1] ?? "no code";
  await slack.say({ thread, text: `/link ${code}` });
  await slack.until(() => posts().length > 0);
  const [question] = posts();
  if (question === undefined) throw new Error("nobody asked");
  await slack.press(question, labelIn(question));
  const asked = () => web.replies().find(({ markdown }) => markdown?.includes("link confirm"));
  await web.until(() => asked() !== undefined, "the question whether to link");
  const id = /link confirm ([^`\s]+)`/.exec(asked()?.markdown ?? "")?.[1];
  const isDone = () => web.replies().some(({ markdown }) => markdown?.includes("Linked with"));
  web.command("link", `confirm ${id}`);
  await web.until(isDone, "the link");
};
