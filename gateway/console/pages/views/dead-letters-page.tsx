import { useState } from "preact/hooks";
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
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const listed = answer.data?.items.map(({ ref }) => ref) ?? [];
  const marked = listed.filter((ref) => chosen.has(ref));
  const done = () => {
    setChosen(new Set());
    answer.reload();
  };
  const mark = (ref: string, isMarked: boolean) =>
    setChosen((before) => new Set(isMarked ? [...before, ref] : [...before].filter((each) => each !== ref)));
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
      {listed.length > 0 && (
        <BulkActions
          listed={listed}
          marked={marked}
          markAll={(isMarked) => setChosen(new Set(isMarked ? listed : []))}
          canRetry={!isOfMessages}
          done={done}
        />
      )}
      <PagedList
        name="Dead letters"
        route={route}
        answer={answer}
        empty={{
          title: "No dead letters.",
          text: "Deliveries and messages are listed here after their last attempt failed.",
        }}
      >
        {(letter) => (
          <LetterRow
            key={letter.ref}
            letter={letter}
            isMarked={chosen.has(letter.ref)}
            mark={(isMarked) => mark(letter.ref, isMarked)}
            done={done}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

interface BulkActionsProps {
  readonly listed: readonly string[];
  readonly marked: readonly string[];
  readonly markAll: (isMarked: boolean) => void;
  readonly canRetry: boolean;
  readonly done: () => void;
}

const BulkActions = ({ listed, marked, markAll, canRetry, done }: BulkActionsProps) => {
  const { client } = useConsole();
  const settle = (action: "retry" | "dismiss", verb: string) => async () => {
    const { done: count, failed } = await client.post("dead-letters/settle", {}, { action, refs: [...marked] });
    const rest = failed.length === 0 ? "" : ` ${failed.length} could not be: ${failed[0]?.message}.`;
    return `${count} ${count === 1 ? "dead letter is" : "dead letters are"} ${verb}.${rest}`;
  };
  const of = `${marked.length} marked`;
  return (
    <div class="bulk">
      <label>
        <input
          type="checkbox"
          checked={marked.length === listed.length}
          onChange={(event) => markAll(event.currentTarget.checked)}
        />
        Mark all on this page
      </label>
      {marked.length > 0 && (
        <span class="row-actions">
          <span class="faint">{of}</span>
          {canRetry && <ActionButton label="Retry all" of={of} act={settle("retry", "retried")} done={done} />}
          <ActionButton
            label="Dismiss all"
            of={of}
            act={settle("dismiss", "dismissed")}
            done={done}
            confirm={{
              question: `Dismiss ${marked.length} dead letters?`,
              text: "They are removed from this list and from people's inboxes, and are never sent. This cannot be undone.",
            }}
          />
        </span>
      )}
    </div>
  );
};

const ChannelChoice = ({ route }: { route: Route }) => {
  const { data } = useAnswer("channels", {});
  if (data === undefined || data.items.length < 2) return null;
  const options = data.items.map(({ channel }) => [channel, channel] as const);
  return <Choice label="Channel" route={route} name="channel" options={[["", "All channels"], ...options]} />;
};

interface LetterRowProps {
  readonly letter: DeadLetter;
  readonly isMarked: boolean;
  readonly mark: (isMarked: boolean) => void;
  readonly done: () => void;
}

const LetterRow = ({ letter, isMarked, mark, done }: LetterRowProps) => {
  const { state, text } = describeFailure(letter.reason);
  return (
    <Row
      title={
        <>
          <input
            type="checkbox"
            class="row-mark"
            aria-label={`Mark: ${nameOf(letter)}`}
            checked={isMarked}
            onChange={(event) => mark(event.currentTarget.checked)}
          />
          <LetterTitle letter={letter} />
        </>
      }
      state={<StateMark tone="bad" text={state} />}
      note={text}
      actions={<LetterActions letter={letter} done={done} />}
      facts={[["Failed", <When key="at" at={letter.deadAt} />], ...factsOf(letter)]}
    />
  );
};

const nameOf = (letter: DeadLetter): string =>
  letter.kind === "delivery" ? conversationText(letter.conversation) : letter.id;

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
  const of = nameOf(letter);
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
