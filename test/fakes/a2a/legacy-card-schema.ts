import { z } from "zod";

const Modes = z.array(z.string());
const Security = z.array(z.record(z.string(), Modes));
const Skill = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  examples: z.array(z.string()).optional(),
  inputModes: Modes.optional(),
  outputModes: Modes.optional(),
  security: Security.optional(),
});
const description = z.string().optional();
const Scheme = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("http"), scheme: z.string(), bearerFormat: z.string().optional(), description }),
  z.looseObject({
    type: z.literal("apiKey"),
    name: z.string(),
    in: z.enum(["cookie", "header", "query"]),
    description,
  }),
  z.looseObject({ type: z.literal("oauth2"), flows: z.looseObject({}), description }),
  z.looseObject({ type: z.literal("openIdConnect"), openIdConnectUrl: z.string(), description }),
  z.looseObject({ type: z.literal("mutualTLS"), description }),
]);
const Extension = z.looseObject({
  uri: z.string(),
  description,
  required: z.boolean().optional(),
  params: z.looseObject({}).optional(),
});

/** `AgentCard` as the protocol's JSON schema of version 0.3.0 has it (specification/json/a2a.json): unknown fields are allowed. */
export const LegacyAgentCard = z.looseObject({
  protocolVersion: z.string(),
  name: z.string(),
  description: z.string(),
  url: z.url(),
  version: z.string(),
  preferredTransport: z.string().optional(),
  additionalInterfaces: z.array(z.looseObject({ url: z.string(), transport: z.string() })).optional(),
  provider: z.looseObject({ organization: z.string(), url: z.string() }).optional(),
  capabilities: z.looseObject({
    streaming: z.boolean().optional(),
    pushNotifications: z.boolean().optional(),
    stateTransitionHistory: z.boolean().optional(),
    extensions: z.array(Extension).optional(),
  }),
  securitySchemes: z.record(z.string(), Scheme).optional(),
  security: Security.optional(),
  defaultInputModes: Modes,
  defaultOutputModes: Modes,
  skills: z.array(Skill),
  supportsAuthenticatedExtendedCard: z.boolean().optional(),
  signatures: z
    .array(z.looseObject({ protected: z.string(), signature: z.string(), header: z.looseObject({}).optional() }))
    .optional(),
});
