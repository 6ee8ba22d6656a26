// The little of Telegram's Bot API that a channel needs to connect and to be written to. It takes no message: what a
// test sends there by mistake is kept in `sent`.
import { createServer } from "node:http";
import { once } from "node:events";

/**
 * Starts it with messages that wait: `{ id, from, name, chat, text }`; a chat below zero is a group. A text that is no
 * string is passed on as it is, which no client can read.
 */
export async function telegram(messages) {
  const sent = [];
  const updates = messages.map(({ id, from, name, chat, text }) => ({
    update_id: id,
    message: {
      message_id: id, date: Math.floor(Date.now() / 1000), text,
      from: { id: from, is_bot: false, first_name: name },
      chat: { id: chat, type: chat < 0 ? "supergroup" : "private" },
      entities: chat < 0 ? [{ type: "mention", offset: 0, length: 4 }] : [],
    },
  }));
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => {
      const method = request.url.split("/").pop();
      const answer = (result) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ ok: true, result }));
      };
      if (method === "getMe") return answer({ id: 1, is_bot: true, first_name: "Foldback", username: "bot" });
      if (method !== "getUpdates") {
        sent.push({ method, body });
        return answer(method === "sendMessage" ? { message_id: 100 + sent.length, date: 0, chat: { id: 1, type: "private" } } : true);
      }
      const { offset } = JSON.parse(body === "" ? "{}" : body);
      const waiting = updates.filter(({ update_id }) => update_id >= (offset ?? 0));
      // A poll with nothing to say stays open for a while.
      setTimeout(() => answer(waiting), waiting.length > 0 ? 0 : 2000);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${server.address().port}`, sent, close };
}
