import type { AnswerTo } from "../../../../admin-api/index.ts";
import { Refused } from "../../api/refused.ts";
import { ActionButton } from "../../parts/action-button.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Failed, Loading } from "../../parts/placeholders.tsx";
import { conversationText, Facts } from "../../parts/row.tsx";
import { ClockTime, When } from "../../parts/when.tsx";
import type { Route } from "../../route.tsx";
import { useConsole } from "../../state/console-context.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { BreakGlass } from "./break-glass.tsx";
import { OperatorAnswer } from "./operator-answer.tsx";

type Transcript = AnswerTo<"GET sessions/:sessionId/transcript">;

/** While the page is open; the audit log has the first read only. */
const REFRESH_MS = 2_000;

/** The words of a session, for an operator who has given a reason (R4). */
export const TranscriptPage = ({ route }: { route: Route }) => {
  const { agents } = useConsole().me;
  const sessionId = route.id ?? "";
  const agent = route.query.agent ?? agents[0]?.name ?? "";
  const { data, error, reload } = useAnswer("sessions/:sessionId/transcript", { sessionId, agent }, REFRESH_MS);
  const isLocked = error instanceof Refused && error.status === 403;
  return (
    <PageFrame title="Transcript" about={<code>{sessionId}</code>}>
      {isLocked ? (
        <BreakGlass sessionId={sessionId} agent={agent} done={reload} />
      ) : error !== undefined ? (
        <Failed error={error} retry={reload} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <Words transcript={data} reload={reload} />
      )}
    </PageFrame>
  );
};

const Words = ({ transcript, reload }: { transcript: Transcript; reload: () => void }) => {
  const { sessionId, agent, conversation, asker, until, takeover, entries } = transcript;
  const { client } = useConsole();
  const end = async () => {
    await client.post("sessions/:sessionId/takeover/end", { sessionId }, { agent });
    return `${agent} answers again.`;
  };
  return (
    <>
      <div class="card">
        <Facts
          facts={[
            ["With", asker.name],
            ["Where", conversationText(conversation)],
            ["Agent", agent],
            ["You may read until", <When key="until" at={until} />],
            ...(takeover
              ? [
                  ["Taken over by", takeover.isOwn ? `${takeover.operator} (you)` : takeover.operator] as const,
                  ["Ends", <When key="ends" at={takeover.endsAt} />] as const,
                ]
              : []),
          ]}
        />
        {takeover?.isOwn && (
          <p>
            <ActionButton label="End the takeover" of={conversationText(conversation)} act={end} done={reload} />
          </p>
        )}
      </div>
      <ol class="words" aria-label="Transcript">
        {entries.map((entry, index) => (
          <Said key={`${index} ${entry.at}`} {...entry} />
        ))}
      </ol>
      {takeover?.isOwn && <OperatorAnswer sessionId={sessionId} agent={agent} done={reload} />}
      {takeover === undefined && <BreakGlass sessionId={sessionId} agent={agent} done={reload} isOpen />}
    </>
  );
};

/** An operator's answer begins with their name, as the person sees it: here it is in the line above. */
const SIGNED = /^\*\*(.+?):\*\* /;

const Said = ({ at, from, text }: Transcript["entries"][number]) => {
  const [signature = "", name = ""] = (from === "operator" && SIGNED.exec(text)) || [];
  return (
    <li class={`said ${from}`}>
      <p class="faint">
        {`${NAMES[from]} ${name.replace(/\\(.)/g, "$1")}`.trim()} · <ClockTime at={at} />
      </p>
      <p class="text">{text.slice(signature.length)}</p>
    </li>
  );
};

const NAMES = { person: "Person", agent: "Agent", operator: "Operator" } as const;
