import { addressOf, Link, type Route } from "../route.tsx";
import { useConsole } from "../state/console-context.ts";
import { useAnswer } from "../state/use-answer.ts";

interface ChoiceProps {
  readonly label: string;
  readonly route: Route;
  /** The query parameter of the address that it sets. */
  readonly name: string;
  /** The default comes first, with an empty value. */
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** Filters a list. Each choice is a link. */
export const Choice = ({ label, route, name, options }: ChoiceProps) => {
  const { page, id, query } = route;
  const { after: _, [name]: chosen = "", ...others } = query;
  return (
    <nav class="choice" aria-label={label}>
      {options.map(([value, text]) => (
        <Link key={value} to={addressOf(page, id, { ...others, [name]: value })} current={value === chosen}>
          {text}
        </Link>
      ))}
    </nav>
  );
};

/** Filters by agent; hidden if there is only one. */
export const AgentChoice = ({ route }: { route: Route }) => {
  const { agents } = useConsole().me;
  if (agents.length < 2) return null;
  const options = agents.map(({ name }) => [name, name] as const);
  return <Choice label="Agent" route={route} name="agent" options={[["", "All agents"], ...options]} />;
};

/** Filters by tenant; hidden if the operator manages only one. */
export const TenantChoice = ({ route }: { route: Route }) => {
  const { tenants } = useConsole().me;
  if (tenants.length < 2) return null;
  const options = tenants.map((tenant) => [tenant, tenant] as const);
  return <Choice label="Tenant" route={route} name="tenant" options={[["", "All tenants"], ...options]} />;
};

/** Filters by channel; hidden if there is only one. */
export const ChannelChoice = ({ route }: { route: Route }) => {
  const { data } = useAnswer("channels", {});
  if (data === undefined || data.items.length < 2) return null;
  const options = data.items.map(({ channel }) => [channel, channel] as const);
  return <Choice label="Channel" route={route} name="channel" options={[["", "All channels"], ...options]} />;
};
