import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import { privateRoomOf } from "../../fakes/teams/sent-activity.ts";
import { teamsActivityBy } from "../teams-crowd.ts";
import { Answers, askByPost, type Bot, PEOPLE, type Platform, startOn } from "./bot.ts";

type Started = Awaited<ReturnType<typeof startOn>>;

const bot = async (name: string, path: string, start: (teams: FakeTeams) => Promise<Started>): Promise<Bot> => {
  const teams = await FakeTeams.start();
  for (let n = 0; n < PEOPLE; n++) teams.installIn("personal", `person${n}`);
  const answers = new Answers();
  // A post goes to the room in its path, which only the stored post has.
  const note = teams.api.posts.add.bind(teams.api.posts);
  teams.api.posts.add = (posted) => {
    note(posted);
    answers.noteIn(posted.conversationId);
  };
  const server = await start(teams);
  const { ask, leave } = askByPost({
    url: `http://127.0.0.1:${server.port}${path}`,
    answers,
    messageBy: await teamsActivityBy(teams),
    roomOf: (person) => privateRoomOf(`person${person}`),
  });
  return {
    name,
    ask,
    cpuMs: server.cpuMs,
    tidy() {
      teams.api.posts.items.length = 0;
      teams.requests.length = 0;
    },
    async stop() {
      leave();
      await server.stop();
      await teams.stop();
    },
  };
};

const product = (backbone: "embedded" | "nats") => () =>
  bot(`Mooring, ${backbone}`, "/channels/teams/messages", ({ config }) => {
    const channel = { ...config, access: { messagesPerMinute: 1_000_000 } };
    return startOn(backbone, "mooring", `--channel=${JSON.stringify(channel)}`);
  });

/** A token for the connector, as the local Teams issues it. */
const tokenOf = ({ signIn }: FakeTeams): string => {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: signIn.appId,
    client_secret: signIn.appPassword,
    scope: "https://api.botframework.com/.default",
  });
  return (signIn.answer(form).body as { access_token: string }).access_token;
};

export const teamsBots: Platform = {
  name: "Teams",
  bots: [
    product("embedded"),
    product("nats"),
    () =>
      bot("bare botbuilder", "/api/messages", (teams) =>
        startOn("embedded", "botbuilder", teams.appId, teams.config.openIdMetadataUrl, tokenOf(teams)),
      ),
  ],
};
