import { A2A_PROTOCOL_VERSION, type AgentCard, type AgentSkill } from "@a2a-js/sdk";
import { duplicateInterfacesForLegacy } from "@a2a-js/sdk/compat/v0_3";
import { REPLY_ORIGIN_EXTENSION } from "../../core/a2a/index.ts";
import { VERSION } from "../version.ts";
import type { Caller } from "./caller-check.ts";
import { mayUse } from "./caller-check.ts";
import type { ServedAgent } from "./served-agent.ts";

export const agentPath = (agent: string): string => `/a2a/${agent}`;

const MODES = ["text/plain", "application/json"];

/** What anybody may read about an agent; for a caller that is known, with the skills that it may use. */
export const agentCard = (agent: ServedAgent, publicUrl: string, caller?: Caller): AgentCard => {
  const url = `${publicUrl}${agentPath(agent.name)}`;
  const at = (protocolBinding: string) => ({
    url,
    protocolBinding,
    protocolVersion: A2A_PROTOCOL_VERSION,
    tenant: "",
  });
  const skills = agent.skills.filter(({ id }) => caller === undefined || mayUse(caller, id));
  return {
    name: agent.name,
    description: agent.description ?? `The agent "${agent.name}".`,
    supportedInterfaces: duplicateInterfacesForLegacy([at("JSONRPC"), at("HTTP+JSON")], ["JSONRPC"]),
    provider: undefined,
    version: VERSION,
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: true,
      extensions: [
        {
          uri: REPLY_ORIGIN_EXTENSION,
          description: "How often agents have passed a piece of work to and fro, and where it began.",
          required: false,
          params: undefined,
        },
      ],
    },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: "httpAuthSecurityScheme",
          value: { scheme: "Bearer", bearerFormat: "", description: "The token of a declared caller." },
        },
      },
      apiKey: {
        scheme: {
          $case: "apiKeySecurityScheme",
          value: { location: "header", name: "X-API-Key", description: "The key of a declared caller." },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }, { schemes: { apiKey: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: ["text/plain", "text/markdown"],
    skills: skills.map(skillOnCard),
    signatures: [],
  };
};

const skillOnCard = ({ id, name, description, tags, examples }: ServedAgent["skills"][number]): AgentSkill => ({
  id,
  name,
  description,
  tags: [...tags],
  examples: [...examples],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
});
