import { ScriptedServer } from "./scripted-server.ts";

// The scripted server as a program, for the drivers of other languages; README.md says how to use it.
const server = await ScriptedServer.start();
console.log(server.url);
// However its driver ends, its standard input is closed then: no server is left behind.
process.stdin.on("end", () => void server.stop()).resume();
