import { beforeAll, describe, expect } from "vitest";
import { fakeServer } from "../../fakes/mcp/fake-server.ts";
import { calls, says } from "../../fakes/model-answer.ts";
import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import { GROUP_ROOM } from "../../fakes/teams/sent-activity.ts";
import { freePort } from "../../setup/free-port.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
beforeAll(async () => {
  models = await rig.models();
});

/** A group in Teams, which takes no files but pictures, asks for a picture and a file. */
const askedIn = async (gateway: { readonly port: number; readonly publicUrl?: string; readonly filesUrl?: string }) => {
  const teams = rig.owns(await FakeTeams.start());
  const model = models.named("mooring", ({ toolOutputs }) =>
    toolOutputs.length > 0 ? says("Here.") : calls([{ name: "art__art", arguments: {} }]),
  );
  const mcpServers = { art: fakeServer({ tools: [{ name: "art", inputSchema: { type: "object" } }] }) };
  const agents = [{ name: "mooring", model, mcpServers, rights: { member: ["default", "tool:*"] } }];
  const { address } = await rig.start({
    gateway: { host: "127.0.0.1", ...gateway },
    agents,
    channels: { teams: teams.config },
  });
  teams.endpoint = `${address}/channels/teams/messages`;
  await teams.say({ text: "draw", conversationType: "groupChat" });
  const [post] = await teams.api.posts.count(1);
  return { teams, post, text: post?.activity.text ?? "", address };
};

describe("given files for a conversation that takes none (M3)", () => {
  proves(
    ["gateway.filesUrl"],
    "when it is set, then links lead to that address alone, which serves downloads and nothing else, until they are revoked",
    async () => {
      const port = await freePort();
      const filesUrl = `http://localhost:${port}`;
      const { teams, post, text, address } = await askedIn({ port, publicUrl: `http://127.0.0.1:${port}`, filesUrl });
      const [, link = ""] = /href="([^"]+)"/.exec(text) ?? [];
      expect(link).toMatch(new RegExp(`^${filesUrl}/files/link-[0-9a-f]+\\.[\\w-]{43}/\\d$`));

      const opened = await fetch(link);
      expect(await opened.text()).toBe("ship,metres\nAnna,12\n");
      expect(Object.fromEntries(opened.headers)).toMatchObject({
        "content-disposition": `attachment; filename="ships.csv"; filename*=UTF-8''ships.csv`,
        "content-type": "application/octet-stream",
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
      });
      expect(opened.headers.get("set-cookie")).toBeNull();
      const statusOf = async (url: string) => (await fetch(url)).status;
      expect(await statusOf(link.replace(filesUrl, address))).toBe(404);
      expect(await statusOf(`${filesUrl}/health/live`)).toBe(404);
      expect(await statusOf(`${address}/health/live`)).toBe(200);
      // A wrong secret, another index, and a path that does not exist look alike.
      for (const wrong of [
        link.replace(/\.[\w-]{4}([\w-]{39}\/)/, ".AAAA$1"),
        link.replace(/\d$/, "9"),
        `${filesUrl}/files/x/0`,
      ]) {
        expect([wrong, await statusOf(wrong)], link).toEqual([wrong, 404]);
      }

      const press = (person: string) =>
        teams.say({
          text: "",
          conversationType: "groupChat",
          person,
          mention: false,
          more: { value: buttonIn(post?.activity.attachments), replyToId: post?.id },
        });
      await press("bob");
      await teams.api.posts.until((posts) => JSON.stringify(posts).includes("There are no links of yours"));
      expect(await statusOf(link)).toBe(200);
      await press("ann");
      await teams.api.posts.until((posts) => JSON.stringify(posts).includes("The links no longer work."));
      expect(await statusOf(link)).toBe(404);
      expect(post?.conversationId).toBe(GROUP_ROOM);

      const plain = await askedIn({ port: await freePort() });
      expect(plain.text).toContain("ships.csv");
      expect(plain.text).toContain("has no public address");
    },
  );
});

interface Card {
  readonly content?: { readonly body?: { readonly actions?: { readonly title: string; readonly data: unknown }[] }[] };
}

/** The value of the button below the links. */
const buttonIn = (attachments: unknown): unknown =>
  (attachments as Card[])
    .flatMap(({ content }) => content?.body?.flatMap(({ actions = [] }) => actions) ?? [])
    .find(({ title }) => title === "Revoke links")?.data;
