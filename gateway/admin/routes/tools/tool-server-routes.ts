import type { FastifyInstance } from "fastify";
import type { Config } from "../../../../config/index.ts";
import { AppError } from "../../../../core/contract/app-error.ts";
import type { AgentRef } from "../../../../core/contract/messages/addresses.ts";
import {
  completeSignIn,
  type SignInTarget,
  signedInAt,
  signInTarget,
  signOut,
  startSignIn,
} from "../../../../core/tools/index.ts";
import { type AnswerTo, requests } from "../../../admin-api/index.ts";
import type { AdminDeps, AdminRequest } from "../../admin-request.ts";
import { adminRoute, checked, noteDetail, operatorOf } from "../../admin-request.ts";
import { managedAgent, managedAgents } from "../../managed-resources.ts";

/** The page of the console to which authorization servers send the operator's browser back. */
const CALLBACK_PATH = "/console/tool-servers/callback";

type ToolServer = AnswerTo<"POST tool-servers/sign-in">;
type ServerConfig = Config["agents"][number]["mcpServers"][string];

/** MCP servers of agents, and the sign-in of operators at those that want one (T1). */
export const toolServerRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, store, publicUrl } = deps;
  const serversOf = ({ agent }: AgentRef): [string, ServerConfig][] =>
    Object.entries(config.agents.find(({ name }) => name === agent)?.mcpServers ?? {}).filter(
      ([, { disabled }]) => !disabled,
    );
  const managedTarget = (request: AdminRequest, agent: string, server: string): SignInTarget => {
    const ref = managedAgent(config, request, agent);
    const [, found] = serversOf(ref).find(([name]) => name === server) ?? [];
    if (found === undefined) throw new AppError("not-found", `${agent} has no tool server "${server.slice(0, 60)}"`);
    const target = signInTarget(ref, server, found);
    if (target !== undefined) return target;
    throw new AppError("bad-input", `${server} needs no sign-in: set oauth.signIn in its configuration first`);
  };
  const show = async (ref: AgentRef, server: string, found: ServerConfig): Promise<ToolServer> => {
    const target = signInTarget(ref, server, found);
    const at = target && (await signedInAt(store, target));
    return {
      ...ref,
      server,
      where: found.url ?? found.command ?? "",
      signIn: target === undefined ? "none" : at === undefined ? "needed" : "done",
      ...(at !== undefined && { signedInAt: at }),
    };
  };
  const shown = async ({ tenant, agent, server }: SignInTarget): Promise<ToolServer> => {
    const [, found] = serversOf({ tenant, agent }).find(([name]) => name === server) ?? [];
    if (found === undefined) throw new AppError("not-found", `${agent} has no tool server "${server}"`);
    return show({ tenant, agent }, server, found);
  };

  adminRoute(scope, "GET tool-servers", async (request) => ({
    items: await Promise.all(
      managedAgents(config, request).flatMap((ref) => serversOf(ref).map(([name, found]) => show(ref, name, found))),
    ),
  }));

  adminRoute(scope, "POST tool-servers/:agent/:server/sign-in", async (request) => {
    const target = managedTarget(request, request.params.agent, request.params.server);
    const redirectUrl = `${publicUrl.replace(/\/$/, "")}${CALLBACK_PATH}`;
    return startSignIn(deps, target, { operator: operatorOf(request).token, redirectUrl });
  });

  adminRoute(scope, "POST tool-servers/sign-in", async (request) => {
    const response = checked(requests["POST tool-servers/sign-in"], request.body);
    const target = await completeSignIn(deps, response, {
      operator: operatorOf(request).token,
      targetOf: ({ agent }, server) => managedTarget(request, agent, server),
    });
    noteDetail(request, { agent: target.agent, server: target.server });
    return shown(target);
  });

  adminRoute(scope, "POST tool-servers/:agent/:server/sign-out", async (request) => {
    const target = managedTarget(request, request.params.agent, request.params.server);
    await signOut(store, target);
    return shown(target);
  });
};
