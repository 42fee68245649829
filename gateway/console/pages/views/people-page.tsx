import type { Person } from "../../../admin-api/index.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { BlockButton } from "../parts/block-button.tsx";
import { Choice } from "../parts/choice.tsx";
import { PageFrame } from "../parts/page-frame.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { Row } from "../parts/row.tsx";
import { When } from "../parts/when.tsx";
import type { Route } from "../route.tsx";
import { useConsole } from "../state/console-context.ts";
import { useAnswer } from "../state/use-answer.ts";

export const PeoplePage = ({ route }: { route: Route }) => {
  const { tenants } = useConsole().me;
  const answer = useAnswer("people", route.query);
  const options = tenants.map((tenant) => [tenant, tenant] as const);
  return (
    <PageFrame title="People" about="People who talk to the agents, and their linked accounts.">
      <div class="filters">
        {tenants.length > 1 && (
          <Choice label="Tenant" route={route} name="tenant" options={[["", "All tenants"], ...options]} />
        )}
      </div>
      <PagedList
        name="People"
        route={route}
        answer={answer}
        empty={{
          title: "No people yet.",
          text: "People are listed after their first private message, or if the configuration declares them.",
        }}
      >
        {(person) => (
          <Row
            key={person.ref}
            title={person.name ?? person.accounts[0]?.name ?? person.id}
            state={<code class="faint">{person.id}</code>}
            note={<Accounts person={person} done={answer.reload} />}
            facts={[
              ["Private messages on", person.surfaces.map(({ channel }) => channel).join(", ") || "–"],
              ["Remembered", `${person.memory.entries} entries, ${person.memory.bytes} bytes`],
              ["Quiet hours", quietText(person)],
              ["Tenant", person.tenant],
            ]}
          />
        )}
      </PagedList>
    </PageFrame>
  );
};

const quietText = ({ quiet }: Person): string => {
  if (quiet === undefined) return "as configured";
  if (quiet === "off") return "none";
  return `${quiet.from} to ${quiet.to}${quiet.timeZone === undefined ? "" : ` ${quiet.timeZone}`}`;
};

const Accounts = ({ person, done }: { person: Person; done: () => void }) => (
  <ul class="steps" aria-label="Accounts">
    {person.accounts.map((account) => (
      <li key={`${account.channel} ${account.accountId}`}>
        <span>
          {account.channel} · <span class="strong">{account.name}</span>
        </span>
        <code class="faint">{account.accountId}</code>
        <span class="faint small">
          added <When at={account.since} />
          {account.declared && ", declared in the configuration"}
        </span>
        {person.accounts.length > 1 && !account.declared && <Unlink person={person} account={account} done={done} />}
        <BlockButton {...account} done={done} />
      </li>
    ))}
  </ul>
);

const Unlink = ({
  person,
  account,
  done,
}: {
  person: Person;
  account: Person["accounts"][number];
  done: () => void;
}) => {
  const { client } = useConsole();
  const { channel, accountId, name } = account;
  const unlink = async () => {
    await client.post("people/:ref/unlink", { ref: person.ref }, { channel, accountId });
    return `${name} on ${channel} is unlinked.`;
  };
  return (
    <ActionButton
      label="Unlink"
      of={`${name} on ${channel}`}
      act={unlink}
      done={done}
      confirm={{
        question: `Unlink ${name} on ${channel}?`,
        text: "The account becomes a separate person. Earlier work is no longer shown there. All accounts are notified.",
      }}
    />
  );
};
