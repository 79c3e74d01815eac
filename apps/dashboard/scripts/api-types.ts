import openapiTypescript, { astToString } from "openapi-typescript";

/** Writes the TypeScript types of the API from its OpenAPI document. */
export async function apiTypes(document: Record<string, unknown>): Promise<string> {
  const nodes = await openapiTypescript(JSON.stringify(document), { immutable: true, alphabetize: true });
  return `// Made from the OpenAPI document by \`npm run check -- --write\`: never edited by hand.\n${astToString(nodes)}`;
}
