import { useEffect, useRef } from "preact/hooks";
import type { AnswerTo } from "../../../../admin-api/index.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { Row, StateMark } from "../../parts/row.tsx";
import { When } from "../../parts/when.tsx";
import { addressOf, navigate, type Route } from "../../route.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAction } from "../../state/use-action.ts";
import { useAnswer } from "../../state/use-answer.ts";

type ToolServer = AnswerTo<"POST tool-servers/sign-in">;

const PAGE = "tool-servers";

export const ToolServersPage = ({ route }: { route: Route }) => {
  const answer = useAnswer("tool-servers", {});
  return (
    <PageFrame title="Tool servers" about="MCP servers of agents. At some of them an operator signs in once.">
      {route.id === "callback" && <CompleteSignIn query={route.query} done={answer.reload} />}
      <PagedList
        name="Tool servers"
        route={route}
        answer={answer}
        empty={{ title: "No agent has an MCP server.", text: "Configure one under mcpServers of an agent." }}
      >
        {(each) => (
          <Row
            key={`${each.agent} ${each.server}`}
            title={each.server}
            state={<SignInMark server={each} />}
            actions={each.signIn === "none" ? undefined : <SignInButtons server={each} done={answer.reload} />}
            facts={factsOf(each)}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

const factsOf = ({ agent, where, signedInAt }: ToolServer) =>
  [
    ["Agent", agent],
    ["Where", where],
    ["Signed in", signedInAt === undefined ? "–" : <When key="at" at={signedInAt} />],
  ] as const;

const MARKS = {
  none: { tone: "calm", text: "no sign-in" },
  needed: { tone: "warn", text: "sign-in needed" },
  done: { tone: "good", text: "signed in" },
} as const;

const SignInMark = ({ server: { signIn } }: { server: ToolServer }) => <StateMark {...MARKS[signIn]} />;

const SignInButtons = ({ server: { agent, server, signIn }, done }: { server: ToolServer; done: () => void }) => {
  const { client } = useConsole();
  return (
    <>
      <ActionButton
        label={signIn === "done" ? "Sign in again" : "Sign in"}
        of={`${server} of ${agent}`}
        done={done}
        act={async () => {
          const { url } = await client.post("tool-servers/:agent/:server/sign-in", { agent, server });
          // In this tab, because only this tab has the operator's token when the browser returns.
          if (/^https?:\/\//.test(url)) location.assign(url);
          return `Opening the sign-in of ${server}.`;
        }}
      />
      {signIn === "done" && (
        <ActionButton
          label="Sign out"
          of={`${server} of ${agent}`}
          done={done}
          confirm={{
            question: `Sign out of ${server}?`,
            text: `${agent} cannot use its tools until the next sign-in.`,
          }}
          act={async () => {
            await client.post("tool-servers/:agent/:server/sign-out", { agent, server });
            return `Signed out of ${server}.`;
          }}
        />
      )}
    </>
  );
};

/** The browser returns here from the authorization server. The code is used once and leaves the address bar. */
const CompleteSignIn = ({ query, done }: { query: Route["query"]; done: () => void }) => {
  const { client } = useConsole();
  const hasRun = useRef(false);
  const { run } = useAction(async () => {
    const { state = "", code, iss, error } = query;
    const given = { ...(code && { code }), ...(iss && { iss }), ...(error && { error }) };
    const { agent, server } = await client.post("tool-servers/sign-in", {}, { state, ...given });
    return `${agent} is signed in at ${server}.`;
  }, done);
  useEffect(() => {
    if (hasRun.current) return;
    hasRun.current = true;
    void run().then(() => navigate(addressOf(PAGE)));
  }, [run]);
  return <p>Completing the sign-in…</p>;
};
