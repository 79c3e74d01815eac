import { Type } from "typebox";
import { BASE64URL, Instant, Line, Nullable, strict } from "./shared.ts";

/** Authenticators create ids of 16 to 200 bytes. */
const CredentialId = Type.String({ minLength: 1, maxLength: 512, pattern: BASE64URL });

export const PasskeyPath = Type.Object({ id: CredentialId });

export const PasskeySchema = Type.Object(
  {
    id: Type.String({ description: "The authenticator's id for the passkey, in base64url." }),
    name: Type.String(),
    is_backed_up: Type.Boolean({ description: "Whether the passkey is backed up beyond one device." }),
    created_at: Instant,
    last_used_at: Nullable(Instant),
  },
  { $id: "Passkey" },
);
export const PasskeyList = Type.Object({ items: Type.Array(PasskeySchema) }, { $id: "PasskeyList" });

export const PasskeyOptions = Type.Object(
  {
    options: Type.Record(Type.String(), Type.Unknown(), {
      description:
        "For `navigator.credentials`, in the JSON form of WebAuthn Level 3. The challenge is valid once, in this session, for five minutes.",
    }),
  },
  { $id: "PasskeyOptions" },
);

const credential = Type.Record(Type.String(), Type.Unknown(), {
  description: "The authenticator's response, in the JSON form of WebAuthn Level 3; at most 16 KiB.",
});
export const PasskeyRegistration = Type.Object(
  { name: Line(100), credential },
  { ...strict, $id: "PasskeyRegistration" },
);
export const PasskeyConfirmation = Type.Object({ credential }, { ...strict, $id: "PasskeyConfirmation" });

export const PasskeyRequirementRequest = Type.Object(
  { required: Type.Boolean() },
  { ...strict, $id: "PasskeyRequirementRequest" },
);
export const PasskeyRequirement = Type.Object(
  {
    required: Type.Boolean(),
    members_without: Type.Array(
      Type.Object({ user_id: Type.String(), email: Type.String(), name: Type.String() }),
      { description: "Members who have no passkey, by email; at most 100." },
    ),
  },
  { $id: "PasskeyRequirement" },
);
