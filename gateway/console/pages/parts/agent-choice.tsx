import type { Route } from "../routing/route.ts";
import { useConsole } from "../state/console-context.ts";
import { Choice } from "./choice.tsx";

/** Whose work is shown; nothing to choose where there is one agent only. */
export const AgentChoice = ({ route }: { route: Route }) => {
  const { agents } = useConsole().me;
  if (agents.length < 2) return null;
  const options = agents.map(({ name }) => [name, name] as const);
  return <Choice label="Agent" route={route} name="agent" options={[["", "All agents"], ...options]} />;
};
