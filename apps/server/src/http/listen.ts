import type { FastifyInstance } from "fastify";
import { type Settings, SettingsError, serviceUrl } from "../settings.ts";

/** Listens at the address in the settings and returns it. Throws a one-line `SettingsError` for what the operator can fix. */
export async function listen(app: FastifyInstance, { host, port }: Settings): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EADDRINUSE")
      throw new SettingsError(
        `Port ${port} on ${host} is in use: stop the other program, or set ASSAY_PORT to another port (0 takes any free one).`,
      );
    if (code === "EACCES")
      throw new SettingsError(
        `Port ${port} needs more rights than this user has: set ASSAY_PORT to 1024 or above.`,
      );
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new SettingsError(`ASSAY_HOST ${host} is not an address of this machine.`);
    throw error;
  }
  const address = app.server.address();
  return serviceUrl({ host, port: typeof address === "object" && address !== null ? address.port : port });
}
