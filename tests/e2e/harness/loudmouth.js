// A server that repeats in every answer, refusals mostly, all it was told: address, headers and body, secrets
// included. Real servers and the proxies before them do so now and then.
import { createServer } from "node:http";
import { once } from "node:events";

/**
 * Starts it. `shape` puts what it says into the form of the platform's answers, given the path that was called; `heard`
 * is all it was told.
 */
export async function loudmouth(shape) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => {
      const said = `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`;
      loud.heard += said;
      const answer = shape(`Loudmouth: ${said}`, request.url);
      response.statusCode = answer.ok === true ? 200 : 401;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  const loud = { url: `http://127.0.0.1:${server.address().port}`, heard: "", close };
  return loud;
}
