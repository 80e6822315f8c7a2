// The page asks the server that it comes from.
async function ask(path, question, signal) {
  const answer = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question), signal,
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}
