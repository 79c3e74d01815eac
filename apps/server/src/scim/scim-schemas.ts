const SCHEMA = "urn:ietf:params:scim:schemas:core:2.0";
export const LIST_RESPONSE = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
export const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
export const SCHEMA_OF = { User: `${SCHEMA}:User`, Group: `${SCHEMA}:Group` } as const;

const attribute = (name: string, description: string, more: object = {}) => ({
  name,
  description,
  type: "string",
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more,
});

const SCHEMAS = [
  {
    schemas: [`${SCHEMA}:Schema`],
    id: SCHEMA_OF.User,
    name: "User",
    description: "A person of the organization.",
    attributes: [
      attribute("userName", "The name, often the email, under which the provider knows the person.", {
        required: true,
        uniqueness: "server",
      }),
      attribute("displayName", "The person's name."),
      attribute("active", "Whether the person may use the service.", { type: "boolean" }),
      attribute("name", "The parts of the name.", {
        type: "complex",
        subAttributes: [
          attribute("formatted", "The whole name."),
          attribute("familyName", "The family name."),
          attribute("givenName", "The given name."),
        ],
      }),
      attribute("emails", "Email addresses; the primary one, or else the first, is the person's.", {
        type: "complex",
        multiValued: true,
        subAttributes: [
          attribute("value", "The address."),
          attribute("type", "Such as work or home."),
          attribute("primary", "Whether it is the primary one.", { type: "boolean" }),
        ],
      }),
    ],
  },
  {
    schemas: [`${SCHEMA}:Schema`],
    id: SCHEMA_OF.Group,
    name: "Group",
    description: "A group of people, which may mean a role.",
    attributes: [
      attribute("displayName", "The group's name, unique in the organization.", {
        required: true,
        uniqueness: "server",
      }),
      attribute("members", "The people in the group.", {
        type: "complex",
        multiValued: true,
        subAttributes: [
          attribute("value", "The id of the user.", { mutability: "immutable" }),
          attribute("display", "The user's name.", { mutability: "immutable" }),
        ],
      }),
    ],
  },
] as const;

const CONFIG = {
  schemas: [`${SCHEMA}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 1_000 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "The token that an admin made with POST /v1/scim-token.",
      primary: true,
    },
  ],
};

interface Discovered {
  readonly path: string;
  /** By id; null for the one resource at the path itself. */
  readonly resources: ReadonlyMap<string, object> | null;
  readonly single: object | null;
}

/** What a client reads to learn what this service can do. `base` is the address of `/scim/v2`. */
export function discovery(base: string): readonly Discovered[] {
  const meta = (resourceType: string, path: string) => ({ resourceType, location: `${base}/${path}` });
  const types = (["User", "Group"] as const).map((id) => ({
    schemas: [`${SCHEMA}:ResourceType`],
    ...{ id, name: id, endpoint: `/${id}s`, schema: SCHEMA_OF[id] },
    meta: meta("ResourceType", `ResourceTypes/${id}`),
  }));
  const schemas = SCHEMAS.map((schema) => ({ ...schema, meta: meta("Schema", `Schemas/${schema.id}`) }));
  const byId = <T extends { id: string }>(all: readonly T[]) => new Map(all.map((one) => [one.id, one]));
  return [
    { path: "ResourceTypes", resources: byId(types), single: null },
    { path: "Schemas", resources: byId(schemas), single: null },
    {
      path: "ServiceProviderConfig",
      resources: null,
      single: { ...CONFIG, meta: meta("ServiceProviderConfig", "ServiceProviderConfig") },
    },
  ];
}
