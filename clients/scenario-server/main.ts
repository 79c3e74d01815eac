import { ScriptedServer } from "./scripted-server.ts";

// The scripted server as a program, for test drivers in other languages. README.md explains its use.
const server = await ScriptedServer.start();
console.log(server.url);
// Its standard input closes when the driver ends for any reason, so no server is left behind.
process.stdin.on("end", () => void server.stop()).resume();
