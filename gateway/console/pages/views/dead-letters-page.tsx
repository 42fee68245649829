import type { DeadLetter } from "../../../admin-api/index.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Choice } from "../parts/choice.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { conversationText, type Fact, Row, StateMark } from "../parts/row.tsx";
import { When } from "../parts/when.tsx";
import { addressOf, Link, type Route } from "../route.tsx";
import { useConsole } from "../state/console-context.ts";
import { useAnswer } from "../state/use-answer.ts";
import { describeFailure } from "./outcomes/describe-failure.ts";

export const DeadLettersPage = ({ route }: { route: Route }) => {
  const { me } = useConsole();
  const answer = useAnswer("dead-letters", route.query);
  const isOfMessages = route.query.kind === "message";
  return (
    <PageFrame
      title="Dead letters"
      about="Deliveries and messages that failed for good. They are not retried automatically."
    >
      <div class="filters">
        {me.role === "platform_admin" && (
          <Choice
            label="Kind"
            route={route}
            name="kind"
            options={[
              ["", "Deliveries"],
              ["message", "Messages"],
            ]}
          />
        )}
        {!isOfMessages && <ChannelChoice route={route} />}
      </div>
      <PagedList
        name="Dead letters"
        route={route}
        answer={answer}
        empty={{
          title: "No dead letters.",
          text: "Deliveries and messages are listed here after their last attempt failed.",
        }}
      >
        {(letter) => <LetterRow key={letter.ref} letter={letter} done={answer.reload} />}
      </PagedList>
    </PageFrame>
  );
};

const ChannelChoice = ({ route }: { route: Route }) => {
  const { data } = useAnswer("channels", {});
  if (data === undefined || data.items.length < 2) return null;
  const options = data.items.map(({ channel }) => [channel, channel] as const);
  return <Choice label="Channel" route={route} name="channel" options={[["", "All channels"], ...options]} />;
};

const LetterRow = ({ letter, done }: { letter: DeadLetter; done: () => void }) => {
  const { state, text } = describeFailure(letter.reason);
  return (
    <Row
      title={<LetterTitle letter={letter} />}
      state={<StateMark tone="bad" text={state} />}
      note={text}
      actions={<LetterActions letter={letter} done={done} />}
      facts={[["Failed", <When key="at" at={letter.deadAt} />], ...factsOf(letter)]}
    />
  );
};

const LetterTitle = ({ letter }: { letter: DeadLetter }) => {
  if (letter.kind === "message") return <span>{letter.id}</span>;
  const title = letter.origin?.promptSummary ?? "A notice";
  return letter.replyId === undefined ? (
    <span>{title}</span>
  ) : (
    <Link to={addressOf("trace", letter.replyId)}>{title}</Link>
  );
};

const factsOf = (letter: DeadLetter): readonly Fact[] =>
  letter.kind === "delivery"
    ? [
        ["Where", conversationText(letter.conversation)],
        ["Asked on", letter.origin?.channel ?? "–"],
        ["Tenant", letter.tenant],
      ]
    : [
        ["Queue", letter.queue],
        ["Subject", letter.subject],
        ["Attempts", letter.attempts],
      ];

const LetterActions = ({ letter, done }: { letter: DeadLetter; done: () => void }) => {
  const { client } = useConsole();
  const act = (verb: "retry" | "dismiss", notice: string) => async () => {
    await client.post(`dead-letters/:ref/${verb}`, { ref: letter.ref });
    return notice;
  };
  const of = letter.kind === "delivery" ? conversationText(letter.conversation) : letter.id;
  return (
    <>
      {letter.kind === "delivery" && (
        <ActionButton label="Retry" of={of} act={act("retry", "The delivery is retried.")} done={done} />
      )}
      <ActionButton
        label="Dismiss"
        of={of}
        act={act("dismiss", "The dead letter is dismissed.")}
        done={done}
        confirm={{
          question: "Dismiss this dead letter?",
          text: "It is removed from this list and from the person's inbox, and is never sent. This cannot be undone.",
        }}
      />
    </>
  );
};
